import type { Ledger } from '../../../plugins/cloud-simulator/dispatch/ledger.ts';

/** What was acknowledged of a request so far. */
export interface Entry {
  readonly machine_count: number;
  /** Machines of it that were given back. */
  readonly returned: Set<string>;
}

/** Requests of which more machines live than are wanted, and by how many: at no moment there may be one. */
export function excess(live: Ledger['live'], book: ReadonlyMap<string, Entry>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [request_id, { machine_count, returned }] of book) {
    const staying = (live[request_id] ?? []).filter((id) => !returned.has(id));
    const more = staying.length - (machine_count - returned.size);
    if (more > 0) found.set(request_id, more);
  }
  return found;
}
