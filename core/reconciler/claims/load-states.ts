import { chunks } from '../../collections/chunks.ts';
import { setImmediate as turn } from 'node:timers/promises';
import type { MachineRecord } from '../../model/machine.ts';
import type { Claim, Store } from '../../contract/storage.ts';
import { inherited } from '../state/attempt.ts';
import type { HeldState } from '../state/request-state.ts';
import { MachineSet } from '../state/machine-set.ts';

/** A storage bounds how many values one comparison may list. */
const atOnce = 200;
/** Rows that are read before others get a turn: reading them holds the thread up. */
const rowsAtOnce = 1_000;

/** Everything that is stored of the claimed requests, as their new holder takes it over. A request that is gone is left out. */
export async function loadStates(store: Store, claims: readonly Claim[]): Promise<Map<string, HeldState>> {
  const cases = new Map<string, HeldState>();
  for (const part of chunks(claims, atOnce)) {
    const request_id = part.map((claim) => claim.request_id);
    const [requests, attempts, machines, signals] = await Promise.all([
      store.find('request', { where: { request_id } }),
      store.find('attempt', { where: { request_id } }),
      readMachines(store, request_id),
      store.find('signal', { where: { request_id, applied: false }, order: [['created_at', 'asc']] }),
    ]);
    const attemptsOf = Map.groupBy(attempts, (attempt) => attempt.request_id);
    const machinesOf = Map.groupBy(machines, (machine) => machine.request_id);
    const wishesOf = Map.groupBy(signals, (signal) => signal.request_id);
    const takenOver = new Set(part.filter((claim) => claim.taken_over).map((claim) => claim.request_id));
    for (const request of requests) {
      const mine = attemptsOf.get(request.request_id) ?? [];
      cases.set(request.request_id, {
        request,
        attempts: takenOver.has(request.request_id) ? mine.map(inherited) : mine,
        machines: new MachineSet(machinesOf.get(request.request_id)),
        signals: wishesOf.get(request.request_id) ?? [],
      });
    }
  }
  return cases;
}

/** The holder of the claims alone changes these rows, so that pages read one after the other fit together. */
async function readMachines(store: Store, request_id: readonly string[]): Promise<readonly MachineRecord[]> {
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
