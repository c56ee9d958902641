import { Type, type Static } from 'typebox';
import { BrokerError } from '../../contract/errors.ts';
import { ProviderState } from '../../contract/provider/provider-state.ts';
import { quantileOf, type CallTiming, type InstanceState } from '../../providers/provider-activity.ts';
import { Pause } from '../../providers/quarantine/quarantine.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';

const milliseconds = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

const ActionMetrics = Type.Object({
  action: Type.String({ description: "The call in the provider's own words." }),
  calls: Type.Integer(),
  outcomes: Type.Record(Type.String(), Type.Integer(), { description: '`ok`, and the kinds of faults.' }),
  mean_ms: milliseconds('The average time until the answer.'),
  p50_ms: milliseconds('Half of the calls were answered within this time.'),
  p95_ms: milliseconds('Of 20 calls 19 were answered within this time.'),
});
type ActionMetrics = Static<typeof ActionMetrics>;

const InstanceMetrics = Type.Object({
  provider_instance: Type.String(),
  calls: Type.Integer(),
  faults: Type.Record(Type.String(), Type.Integer(), { description: 'Calls that failed, by the kind of the fault.' }),
  actions: Type.Array(ActionMetrics, { description: 'By number of calls.' }),
  rates: Type.Array(ProviderState.properties.rates.items, {
    description: 'The rate limits that the plugin keeps for this broker, those that were used.',
  }),
  credentials: Type.Union(ProviderState.properties.credentials.anyOf, {
    description:
      'The credentials of the instance. null: it needs none, its plugin tells nothing, or it is not connected.',
  }),
  quarantine: Type.Union([Pause, Type.Null()], {
    description: 'The plugin stopped the loop, so all calls to the instance are paused. null: they are made.',
  }),
  quarantined_templates: Type.Array(Type.Object({ template_id: Type.String(), ...Pause.properties }), {
    description: 'Templates whose requests stopped the loop, so that they are not served here for some time.',
  }),
});

export const getProviderMetrics = operation('GetProviderMetricsQuery', {
  summary:
    'Show how the provider instances answered the calls of this broker since its loop began: how fast, and with which faults; and their rate limits, credentials and quarantine now.',
  input: Type.Object({ provider_instance: Type.Optional(p.of_instance) }, { additionalProperties: false }),
  output: Type.Object({ providers: Type.Array(InstanceMetrics) }),
  refusals: ['PROVIDER_NOT_FOUND', 'UNAVAILABLE'],
  rest: { method: 'GET', path: '/providers/metrics', limit: 'provider', errors: 'error' },
  cli: { command: 'providers metrics', example: 'muster providers metrics --provider-instance east' },
  async handle({ provider_instance }, { providers, providerActivity, checkup }) {
    const names =
      provider_instance === undefined
        ? providers.instances.map(({ name }) => name)
        : [providers.require(provider_instance).name];
    const [timings, states] = await Promise.all([providerActivity.calls(), providerActivity.states()]);
    if (!timings || !states)
      throw new BrokerError('UNAVAILABLE', (await checkup.trouble()) ?? 'The loop does not answer.', {
        retry_after_s: 5,
      });
    const known = Map.groupBy(timings, (timing) => timing.provider_instance);
    const stateOf = (name: string) => states.find(({ provider_instance: each }) => each === name);
    return { providers: names.map((name) => metricsOf(name, known.get(name) ?? [], stateOf(name))) };
  },
});

function metricsOf(
  provider_instance: string,
  timings: readonly CallTiming[],
  state: InstanceState | undefined,
): Static<typeof InstanceMetrics> {
  const actions = [...Map.groupBy(timings, ({ action }) => action)].map(([action, its]) => actionOf(action, its));
  return {
    provider_instance,
    calls: sumOf(timings),
    faults: byOutcome(timings.filter(({ outcome }) => outcome !== 'ok')),
    actions: actions.toSorted((a, b) => b.calls - a.calls || (a.action < b.action ? -1 : 1)),
    rates: state?.session?.rates ?? [],
    credentials: state?.session?.credentials ?? null,
    quarantine: state?.quarantine ?? null,
    quarantined_templates: [...(state?.quarantined_templates ?? [])],
  };
}

function actionOf(action: string, timings: readonly CallTiming[]): ActionMetrics {
  const calls = sumOf(timings);
  const sum_ms = timings.reduce((sum, each) => sum + each.sum_ms, 0);
  return {
    action,
    calls,
    outcomes: byOutcome(timings),
    mean_ms: calls === 0 ? null : Math.round(sum_ms / calls),
    p50_ms: rounded(quantileOf(timings, 0.5)),
    p95_ms: rounded(quantileOf(timings, 0.95)),
  };
}

const rounded = (value: number | undefined): number | null => (value === undefined ? null : Math.round(value));
const sumOf = (timings: readonly CallTiming[]): number => timings.reduce((sum, { count }) => sum + count, 0);

function byOutcome(timings: readonly CallTiming[]): Record<string, number> {
  const groups = Map.groupBy(timings, ({ outcome }) => outcome);
  return Object.fromEntries([...groups].map(([outcome, its]) => [outcome, sumOf(its)]));
}
