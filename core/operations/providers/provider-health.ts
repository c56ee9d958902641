import { Type } from 'typebox';
import { faultKinds, type FaultKind } from '../../contract/fault.ts';
import { healthStatuses } from '../../model/health.ts';
import { checkedBy } from '../../providers/checkup.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';

export const checkProvider = operation('CheckProviderCommand', {
  summary: 'Ask a provider instance now whether it answers, also one that is disabled; at most 20 seconds.',
  input: Type.Object({ provider_name: p.provider_instance }, { additionalProperties: false }),
  output: Type.Object({
    name: Type.String(),
    answered: Type.Boolean({ description: 'Whether it answered now.' }),
    status: Type.Enum([...healthStatuses], {
      description: 'What counts from now on. One that does not answer is `unhealthy` after 30 seconds, one that may not act at once.',
    }),
    checked_at: Type.String({ description: 'When this answer, or the want of one, was known.' }),
    answered_at: Type.Union([Type.String(), Type.Null()], { description: 'When it last answered. null: it never did.' }),
    fault: Type.Optional(
      Type.Object(
        { kind: Type.Unsafe<FaultKind>(Type.Enum([...faultKinds])), code: Type.String(), message: Type.String() },
        { description: 'Why it did not answer.' },
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
