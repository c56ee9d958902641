import type { ExecutionContext } from 'ava';
import { silentLog, type Store, type Template } from '../../core/index.ts';
import { newRequestId } from '../../core/model/ids.ts';
import type { ProviderInstance } from '../../core/model/provider-instance.ts';
import { choose } from '../../core/providers/choose.ts';
import { ProviderDirectory } from '../../core/providers/directory.ts';
import { Facts } from '../../core/providers/facts.ts';
import { startLoop } from '../../core/reconciler/loop.ts';
import type { LoopParts, RunningLoop } from '../../core/reconciler/running-loop.ts';
import { RequestService } from '../../core/requests/request-service.ts';
import { aBroker } from '../../plugin-testkit/storage/records.ts';
import { FakeClock } from './fake-clock.ts';
import { memoryDriver } from './memory-driver.ts';
import { ScriptedCloud, scriptedApi, scriptedType } from './scripted-cloud.ts';
import { noBudgets } from './no-budgets.ts';

type Name = 'east' | 'west' | 'north';
const template: Template = { template_id: 'small' };

/** Several loops on one store, each on a host of its own, and an interface without a loop. */
export async function brokersBench(t: ExecutionContext) {
  const clock = new FakeClock();
  const store: Store = await memoryDriver().open({}, { clock, log: silentLog });
  const clouds = { east: new ScriptedCloud(), west: new ScriptedCloud(), north: new ScriptedCloud() };
  const instance = (name: Name): ProviderInstance => ({
    name,
    type: 'scripted',
    enabled: true,
    priority: 1,
    weight: 10,
    config: { cloud: clouds[name] },
    template_defaults: {},
    sweep: 'report',
    limits: { max_instances_per_request: 100, max_concurrent_requests: null },
  });
  const apis = [scriptedApi(clouds.east.capabilities)];
  const requests = new RequestService(store, clock, noBudgets, 1_000);
  const running = new Set<RunningLoop>();
  const stop = async (loop: RunningLoop): Promise<void> => {
    running.delete(loop);
    await Promise.all([loop.stop(), clock.advance(20_000)]);
  };
  t.teardown(() => Promise.all([...running].map(stop)));
  async function joinWith(parts: Partial<LoopParts>, host: string, ...names: readonly Name[]): Promise<RunningLoop> {
    const loop = await startLoop({
      store,
      instances: names.map(instance),
      types: [scriptedType],
      apis,
      schemes: [],
      data_directory: '',
      clock,
      log: silentLog,
      broker: aBroker({ host }),
      settings: { observe_resting_ms: 5_000 },
      ...parts,
    });
    running.add(loop);
    return loop;
  }
  return {
    clock,
    store,
    instance,
    clouds,
    stop,
    join: (host: string, ...names: readonly Name[]): Promise<RunningLoop> => joinWith({}, host, ...names),
    joinWith,
    /** What an interface on a host with these instances knows. */
    async interfaceWith(...names: readonly Name[]) {
      const facts = new Facts(store, clock, names.map(instance));
      await facts.follow();
      t.teardown(() => facts[Symbol.dispose]());
      return { facts, directory: new ProviderDirectory(names.map(instance), [scriptedType], apis, facts) };
    },

    /** Requests of a machine each, at an instance; without a name at the first one that serves. */
    async request(
      name: Name | undefined,
      count: number,
      { lease, machine_count = 1 }: { readonly lease?: number; readonly machine_count?: number } = {},
    ): Promise<readonly string[]> {
      const known = [instance(name ?? 'west')];
      const directory = new ProviderDirectory(known, [scriptedType], apis, new Facts(store, clock));
      const ids = Array.from({ length: count }, newRequestId);
      for (const request_id of ids) {
        const named = name === undefined ? {} : { provider_instance: name };
        const chosen = choose({ template }, { key: request_id, machine_count }, named, directory);
        const input = { template, machine_count, ...(lease === undefined ? {} : { lease }) };
        await requests.create(input, chosen, { request_id });
      }
      return ids;
    },
    holds: async (): Promise<Readonly<Record<string, number>>> =>
      Object.fromEntries((await store.brokers()).map(({ host, holds }) => [host, holds])),
    async statuses(ids: readonly string[]): Promise<ReadonlySet<string | undefined>> {
      const found = await Promise.all(ids.map((request_id) => store.get('request', { request_id })));
      return new Set(found.map((each) => each?.status));
    },
  };
}
