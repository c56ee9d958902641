import { Type } from 'typebox';
import { faultKinds, type FaultKind } from '../../contract/fault.ts';
import { healthStatuses } from '../../model/health.ts';
import { checkedBy } from '../../providers/checkup.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';

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
