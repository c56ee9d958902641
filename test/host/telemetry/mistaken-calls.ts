/** A plugin with one kind of machine. It records the calls that its template's `calls` gives, and lets errors pass. */
import {
  definePlugin,
  defineProviderApi,
  defineProviderType,
  Type,
  type PluginContext,
  type ProviderCall,
} from '../../../core/index.ts';

/** What a plugin could record by mistake, by name: JSON has no NaN, and no type would let most of it through. */
export const mistakes: Readonly<Record<string, unknown>> = {
  'no-number': { action: 'Wrong', ms: Number.NaN },
  endless: { action: 'Wrong', ms: Number.POSITIVE_INFINITY },
  'before-all': { action: 'Wrong', ms: Number.NEGATIVE_INFINITY },
  huge: { action: 'Wrong', ms: 1.7e308 },
  text: { action: 'Wrong', ms: '12' },
  nothing: undefined,
  'no-action': { ms: 1 },
  'number-as-action': { action: 404, ms: 1 },
  'unknown-kind': { action: 'Wrong', ms: 1, kind: 'sad' },
  'number-as-code': { action: 'Numbered', ms: 1, kind: 'unavailable', code: 503 },
  'set-back': { action: 'Earlier', ms: -3_600_000 },
  'long-action': { action: 'x'.repeat(10_000), ms: 1 },
};

const type = defineProviderType({
  type: 'mistaken',
  config: Type.Object({}),
  connect: (_config, { calls }): Pick<PluginContext, 'calls'> => (calls ? { calls } : {}),
});

const api = defineProviderApi<Pick<PluginContext, 'calls'>>()({
  type: 'mistaken',
  name: 'Mistaken',
  fields: Type.Object({ records: Type.Array(Type.String()) }),
  capabilities: {
    supports_spot: false,
    supports_on_demand: true,
    max_instances: 10,
    supported_fleet_types: [],
    machines_per_launch: 10,
    offers_per_launch: 'one',
    visible_within_ms: 0,
    token_valid_ms: 3_600_000,
    late_release_ms: 0,
  },
  offers: () => [{ key: 'any' }],
  prepare: async () => ({ ready: true }),
  async launch({ calls }, { token, machine_count, template }, call) {
    call.fence();
    for (const name of template.records) calls?.record(mistakes[name] as ProviderCall);
    calls?.record({ action: 'Start', ms: 2 });
    const machines = Array.from({ length: machine_count }, (_, index) => ({
      machine_id: `m-${index}`,
      status: 'running' as const,
      ready: true,
      name: `m-${index}`,
      private_ip: '10.0.0.1',
    }));
    return { handle: { token }, machines, settled: true };
  },
  observe: async (_session, watched) => watched.map(() => ({ machines: [], settled: true })),
  release: async (_session, _handle, _going, call) => {
    call.fence();
    return { done: true };
  },
  dispose: async () => ({ done: true }),
});

export default definePlugin({ name: 'mistaken', contract: 1, providers: [type], providerApis: [api] });
