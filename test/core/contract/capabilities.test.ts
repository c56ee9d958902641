import test from 'ava';
import { defineProviderApi, type ProviderApi } from '../../../core/index.ts';

const api = (capabilities: Partial<ProviderApi['capabilities']> = {}): ProviderApi =>
  defineProviderApi<object>()({
    type: 'acme',
    name: 'Machines',
    capabilities: { machines_per_launch: 5, visible_within_ms: 0, token_valid_ms: 1_000, ...capabilities },
    launch: async () => ({ handle: {}, machines: [], settled: true }),
    observe: async () => [],
    release: async () => ({ done: true }),
  });

test('an API declares three capabilities, and the others have the defaults of the contract', (t) => {
  t.deepEqual(api().capabilities, {
    machines_per_launch: 5,
    visible_within_ms: 0,
    token_valid_ms: 1_000,
    supports_spot: false,
    supports_on_demand: true,
    max_instances: 10_000,
    supported_fleet_types: [],
    offers_per_launch: 'many',
    late_release_ms: 60_000,
  });
  t.is(api({ late_release_ms: 0 }).capabilities.late_release_ms, 0);
});
