import type { ExecutionContext } from 'ava';
import type { Capabilities, Offer, Template } from '../../../../core/index.ts';
import type { ProviderInstance } from '../../../../core/model/provider-instance.ts';
import { Inventory } from '../../../../core/requests/queries/inventory.ts';
import type { Settings } from '../../../../core/reconciler/settings.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

export interface Given {
  readonly capabilities?: Partial<Capabilities>;
  readonly offers?: readonly Offer[];
  readonly settings?: Partial<Settings>;
  readonly limits?: Partial<ProviderInstance['limits']>;
}

/** A loop over one cloud that has notices, with the calls of these tests. */
export async function rebalanceBench(t: ExecutionContext, given: Given = {}) {
  const east = Object.assign(new ScriptedCloud(given.capabilities, given.offers), { notices: true });
  const bench = await loopBench({ east }, given.settings, given.limits);
  t.teardown(() => bench.close());
  const inventory = new Inventory(bench.store, bench.clock);
  let receipts = 0;
  const machines = async (id: string) => (await bench.status(id)).machines;
  const stored = async (machine_id: string) => {
    const machine = await bench.store.get('machine', { provider_instance: 'east', machine_id });
    if (!machine) throw new Error(`There is no machine ${machine_id}.`);
    return machine;
  };
  return {
    ...bench,
    east,
    machines,
    stored,
    /** A request whose machines are ready. */
    async completed(machine_count: number, template: Partial<Template> = {}): Promise<string> {
      const id = await bench.request(machine_count, { on_rebalance: 'replace', ...template });
      await bench.clock.advance(1_000);
      east.boot();
      await bench.clock.advance(5_000);
      t.is((await bench.status(id)).request.status, 'completed');
      return id;
    },
    /** The provider recommends to replace these machines. */
    async recommend(...machine_ids: readonly string[]): Promise<void> {
      const at = new Date(bench.clock.now()).toISOString();
      east.messages = machine_ids.map((machine_id) => ({
        receipt: `r-${(receipts += 1)}`,
        notices: [{ machine_id, kind: 'rebalance' as const, at }],
      }));
      await bench.clock.advance(3_000);
    },
    async giveBack(...machine_ids: readonly string[]): Promise<void> {
      await bench.requestService.returnMachines(machine_ids, 300);
      await bench.clock.advance(3_000);
    },
    reclaimed: (...machine_ids: readonly string[]) => inventory.reclaimed(machine_ids, []),
    /** The data of the events of a type. */
    async events(type: string): Promise<readonly Record<string, unknown>[]> {
      return (await bench.store.find('event', { where: { type } })).map(({ data }) => data);
    },
    /** The ids of the shown machines. */
    ids: async (id: string) => (await machines(id)).map(({ machine_id }) => machine_id),
  };
}
