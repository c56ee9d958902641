import { Type } from 'typebox';
import { faultKinds, type FaultKind } from '../../contract/fault.ts';
import { healthStatuses } from '../../model/health.ts';
import { checkedBy } from '../../providers/checkup.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';
import { ProviderView, providerViews } from './provider-views.ts';

export const checkProvider = operation('CheckProviderCommand', {
  summary: 'Check now whether a provider instance answers, also a disabled one. Takes at most 20 seconds.',
  input: Type.Object({ provider_name: p.provider_instance }, { additionalProperties: false }),
  output: Type.Object({
    name: Type.String(),
    answered: Type.Boolean({ description: 'Whether it answered now.' }),
    status: Type.Enum([...healthStatuses], {
      description:
        'The status after the check. An instance that does not answer is `unhealthy` after 30 seconds, one whose credentials are refused immediately.',
    }),
    checked_at: Type.String({ description: 'When the check ended.' }),
    answered_at: Type.Union([Type.String(), Type.Null()], {
      description: 'When the instance last answered. null: never.',
    }),
    fault: Type.Optional(
      Type.Object(
        { kind: Type.Unsafe<FaultKind>(Type.Enum([...faultKinds])), code: Type.String(), message: Type.String() },
        { description: 'Why the instance did not answer.' },
      ),
    ),
  }),
  refusals: ['PROVIDER_NOT_FOUND', 'UNAVAILABLE'],
  rest: { method: 'POST', path: '/providers/{provider_name}/check', limit: 'provider', errors: 'error' },
  cli: { command: 'providers check', args: ['provider_name'], example: 'muster providers check east' },
  repeatable: true,
  needs_loop: true,
  async handle({ provider_name }, { providers, checkup }) {
    const { name } = providers.require(provider_name);
    const { status, checked_at, answered_at, fault } = await checkedBy(checkup, name);
    return {
      name,
      answered: fault === undefined,
      status,
      checked_at: new Date(checked_at).toISOString(),
      answered_at: answered_at === undefined ? null : new Date(answered_at).toISOString(),
      ...(fault ? { fault: { ...fault } } : {}),
    };
  },
});

const health = ProviderView.properties;

export const getProviderHealth = operation('GetProviderHealthQuery', {
  summary: 'Show whether the provider instances answer, without asking them.',
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({
    status: Type.Enum(['healthy', 'degraded', 'unhealthy', 'unknown'], {
      description:
        'Of the enabled instances: all healthy; some not; all unhealthy; or none has answered yet. Without an enabled instance: `unhealthy`.',
    }),
    healthy: Type.Integer({ description: 'The number of enabled instances that are healthy.' }),
    total: Type.Integer(),
    providers: Type.Array(
      Type.Object({
        name: health.name,
        type: health.type,
        enabled: health.enabled,
        status: health.status,
        message: health.message,
        answered_at: health.answered_at,
        health_by_broker: health.health_by_broker,
      }),
    ),
  }),
  rest: { method: 'GET', path: '/providers/health', limit: 'provider', errors: 'error' },
  cli: { command: 'providers health', example: 'muster providers health' },
  async handle(_, { providers }) {
    const views = providerViews(providers);
    const enabled = views.filter((view) => view.enabled).map(({ status }) => status);
    return {
      status: overall(enabled),
      healthy: enabled.filter((status) => status === 'healthy').length,
      total: views.length,
      providers: views.map(({ name, type, enabled, status, message, answered_at, health_by_broker }) => ({
        name,
        type,
        enabled,
        status,
        ...(message === undefined ? {} : { message }),
        ...(answered_at === undefined ? {} : { answered_at }),
        ...(health_by_broker === undefined ? {} : { health_by_broker }),
      })),
    };
  },
});

function overall(enabled: readonly ProviderView['status'][]): 'healthy' | 'degraded' | 'unhealthy' | 'unknown' {
  if (enabled.every((status) => status === 'unhealthy')) return 'unhealthy';
  if (enabled.every((status) => status === 'unknown')) return 'unknown';
  return enabled.every((status) => status === 'healthy') ? 'healthy' : 'degraded';
}
