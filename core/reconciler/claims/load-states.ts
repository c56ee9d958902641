import type { MachineRecord } from '../../model/machine.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { Claim, Store } from '../../contract/storage.ts';
import type { HeldState } from '../state/request-state.ts';
import { MachineSet } from '../state/machine-set.ts';
import { turn } from '../../collections/turn.ts';

/**
 * The number of machines that are loaded before the lease is renewed and other work runs. Loading them takes about 20
 * milliseconds.
 */
const machinesAtOnce = 2_000;
/** The number of records that are read before other work runs, because parsing them blocks the thread. */
const rowsAtOnce = 500;

export interface Loaded {
  /** Requests that do not exist are left out. */
  readonly states: ReadonlyMap<string, HeldState>;
  /** The number of claims, from the first one on, that were loaded. */
  readonly count: number;
}

/** Loads the stored state of the first of the claimed requests: of so many as have few machines together. */
export async function loadStates(store: Store, claims: readonly Claim[]): Promise<Loaded> {
  const ids = claims.map((claim) => claim.request_id);
  const requests = await store.find('request', { where: { request_id: ids } });
  const count = howMany(ids, requests);
  const request_id = ids.slice(0, count);
  const [attempts, machines, signals] = await Promise.all([
    store.find('attempt', { where: { request_id } }),
    readMachines(store, request_id),
    store.find('signal', { where: { request_id, applied: false }, order: [['created_at', 'asc']] }),
  ]);
  const attemptsOf = Map.groupBy(attempts, (attempt) => attempt.request_id);
  const signalsOf = Map.groupBy(signals, (signal) => signal.request_id);
  const states = new Map<string, HeldState>();
  for (const request of requests) {
    const found = machines.get(request.request_id);
    if (!found) continue;
    states.set(request.request_id, {
      request,
      attempts: attemptsOf.get(request.request_id) ?? [],
      machines: new MachineSet(found),
      signals: signalsOf.get(request.request_id) ?? [],
    });
  }
  return { states, count };
}

function howMany(ids: readonly string[], requests: readonly RequestRecord[]): number {
  const sizes = new Map(
    requests.map(({ request_id, kind, machine_count }) => [request_id, kind === 'return' ? 0 : machine_count]),
  );
  let machines = 0;
  for (const [index, id] of ids.entries()) {
    machines += sizes.get(id) ?? 0;
    if (machines > machinesAtOnce && index > 0) return index;
  }
  return ids.length;
}

/**
 * Only the holder of the claims changes these records, so that the pages are consistent. Request by request: the index
 * of the storages orders the machines of one request; over several, each page would sort them all.
 */
async function readMachines(
  store: Store,
  request_ids: readonly string[],
): Promise<ReadonlyMap<string, readonly MachineRecord[]>> {
  const machines = new Map<string, readonly MachineRecord[]>();
  let rows = 0;
  for (const request_id of request_ids) {
    const found = await machinesOf(store, request_id);
    machines.set(request_id, found);
    rows += found.length;
    if (rows < rowsAtOnce) continue;
    rows = 0;
    await turn();
  }
  return machines;
}

async function machinesOf(store: Store, request_id: string): Promise<readonly MachineRecord[]> {
  const machines: MachineRecord[] = [];
  for (;;) {
    const page = await store.find('machine', {
      where: { request_id },
      order: [['created_at', 'asc']],
      limit: rowsAtOnce,
      offset: machines.length,
    });
    machines.push(...page);
    if (page.length < rowsAtOnce) return machines;
    await turn();
  }
}
