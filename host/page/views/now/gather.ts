import type { JournalEvent } from '../../api/shapes.ts';

/** Events of one kind about one request, which follow each other closely. */
export interface Gathered {
  /** The latest of them. */
  readonly event: JournalEvent;
  /** Their machines together. */
  readonly machines: number;
  readonly key: number;
}

/** Events further apart stand by themselves. */
const near_ms = 10_000;

const machinesOf = ({ machine_id, data: { machine_ids } }: JournalEvent): number =>
  Array.isArray(machine_ids) ? machine_ids.length : machine_id === undefined ? 0 : 1;

const kindOf = ({ type, request_id = '', provider_instance, data }: JournalEvent): string =>
  [type, request_id, provider_instance ?? String(data['provider_instance'] ?? '')].join(' ');

/**
 * Joins events about machines of one request that arrive one after the other: 30 times "1 machine ready" is "30
 * machines ready". Newest first, as the given ones. Pure.
 */
export function gathered(events: readonly JournalEvent[], most: number): readonly Gathered[] {
  const found: Gathered[] = [];
  const open = new Map<string, { index: number; at: number }>();
  for (const event of events) {
    const [kind, at] = [kindOf(event), Date.parse(event.at)];
    const last = event.type.startsWith('machine.') && event.request_id !== undefined ? open.get(kind) : undefined;
    if (last && last.at - at <= near_ms) {
      const { machines, ...before } = found[last.index] as Gathered;
      found[last.index] = { ...before, machines: machines + machinesOf(event), key: event.seq };
      last.at = at;
      continue;
    }
    if (found.length === most) break;
    open.set(kind, { index: found.length, at });
    found.push({ event, machines: machinesOf(event), key: event.seq });
  }
  return found;
}
