import { chunks } from '../../collections/chunks.ts';
import type { MachineRecord } from '../../model/machine.ts';
import type { Claim, Store } from '../../contract/storage.ts';
import type { HeldState } from '../state/request-state.ts';
import { MachineSet } from '../state/machine-set.ts';
import { turn } from '../../collections/turn.ts';

/** Storages limit how many values one comparison may list. */
const atOnce = 200;
/** The number of records that are read before other work runs, because parsing them blocks the thread. */
const rowsAtOnce = 1_000;

/** The stored state of the claimed requests. Requests that do not exist are left out. */
export async function loadStates(store: Store, claims: readonly Claim[]): Promise<Map<string, HeldState>> {
  const states = new Map<string, HeldState>();
  for (const part of chunks(claims, atOnce)) {
    const request_id = part.map((claim) => claim.request_id);
    const [requests, attempts, machines, signals] = await Promise.all([
      store.find('request', { where: { request_id } }),
      store.find('attempt', { where: { request_id } }),
      readMachines(store, request_id),
      store.find('signal', { where: { request_id, applied: false }, order: [['created_at', 'asc']] }),
    ]);
    const attemptsOf = Map.groupBy(attempts, (attempt) => attempt.request_id);
    const signalsOf = Map.groupBy(signals, (signal) => signal.request_id);
    for (const request of requests) {
      states.set(request.request_id, {
        request,
        attempts: attemptsOf.get(request.request_id) ?? [],
        machines: new MachineSet(machines.get(request.request_id)),
        signals: signalsOf.get(request.request_id) ?? [],
      });
    }
  }
  return states;
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
