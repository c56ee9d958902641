import { join } from 'node:path';
import { systemClock } from '../../core/contract/clock.ts';
import { silentLog } from '../../core/contract/log.ts';
import { isTerminal } from '../../core/model/request.ts';
import { sqliteStorage } from '../../plugins/storage-sqlite/sqlite-storage.ts';
import { json } from '../bench/processes/http.ts';
import type { Book } from './book.ts';

/**
 * Holds what was acknowledged against what is stored and what the cloud has. What does not hold, in sentences; none
 * when all is carried out.
 */
export async function judge(
  directory: string,
  cloud: string,
  { deals, unanswered, beside }: Book,
): Promise<readonly string[]> {
  const store = await sqliteStorage.open(
    { path: join(directory, 'muster.db') },
    { clock: systemClock, log: silentLog },
  );
  try {
    const [requests, machines, events] = await Promise.all([
      store.find('request', {}),
      store.find('machine', {}),
      store.find('event', {}),
    ]);
    const { live, untagged } = await json(`${cloud}/_sim/ledger`);
    const known = new Map(requests.map((request) => [request.request_id, request]));
    const acknowledged = new Set(deals.flatMap(({ request_id, returns }) => [request_id, ...returns]));
    const lost = new Set(unanswered);
    const alive = (id: string): readonly string[] => live[id] ?? [];
    return [
      ...[...acknowledged].filter((id) => !known.has(id)).map((id) => `${id} was acknowledged and is not there`),
      ...requests
        .filter(({ request_id }) => !acknowledged.has(request_id) && !beside.has(request_id))
        .map(({ request_id }) => `${request_id} is there and nobody was told of it`),
      ...requests
        .filter(({ status }) => !isTerminal(status))
        .map(({ request_id, status }) => `${request_id} is still ${status}`),
      ...events.flatMap(({ type, data }) => {
        const id = String((data as { x_request_id?: unknown }).x_request_id);
        return lost.has(id) ? [`the call ${id} had no answer, and did ${type}`] : [];
      }),
      ...deals.flatMap(({ request_id, machine_count, returned, cancelled }) => {
        const there = alive(request_id);
        const due = cancelled ? 0 : machine_count - returned.size;
        const back = there.filter((id) => returned.has(id)).map((id) => `${id} was given back and lives`);
        return there.length === due
          ? back
          : [...back, `${request_id} has ${there.length} machines in the cloud, and ${due} are due`];
      }),
      ...Object.keys(live)
        .filter((id) => !known.has(id))
        .map((id) => `the cloud has machines of ${id}, which nobody knows`),
      ...(untagged as string[]).map((id) => `${id} belongs to no request`),
      ...machines
        .filter(
          ({ machine_id, request_id, status }) =>
            (status === 'running') !== alive(request_id).includes(machine_id) && status !== 'failed',
        )
        .map(({ machine_id, status }) => `${machine_id} is stored as ${status}, and the cloud says otherwise`),
    ];
  } finally {
    await store.close();
  }
}
