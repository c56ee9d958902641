import type { Signal } from '@preact/signals';
import { read } from '../../api/broker-client.ts';
import { api } from '../../api/place.ts';
import type { Machine, MachineList } from '../../api/shapes.ts';

/** The most machines that one call returns. */
export const mostReturned = 10_000;

/** The name of a machine in a call: it is the same for no two machines. */
export const keyOf = ({ provider_instance, machine_id }: Pick<Machine, 'provider_instance' | 'machine_id'>): string =>
  `${provider_instance}/${machine_id}`;

/** Whether a machine can be returned: it lives, and nobody returned it yet. */
export const isReturnable = ({ gone_at, return_id }: Machine): boolean => gone_at === null && return_id === null;

/** Adds machines to a selection, or removes them. */
export function setSelected(selection: Signal<ReadonlySet<string>>, keys: readonly string[], selected: boolean): void {
  const next = new Set(selection.peek());
  for (const key of keys) {
    if (selected) next.add(key);
    else next.delete(key);
  }
  selection.value = next;
}

const atOnce = 1_000;

/** All machines of a list that can be returned, up to as many as one call returns. */
export async function allKeys(filter: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let offset = 0; offset < mostReturned; offset += atOnce) {
    const { machines, total_count } = await read<MachineList>(
      `${api}/inventory/?${filter}${filter ? '&' : ''}limit=${atOnce}&offset=${offset}`,
    );
    keys.push(...machines.filter(isReturnable).map(keyOf));
    if (machines.length === 0 || offset + machines.length >= total_count) break;
  }
  return keys.slice(0, mostReturned);
}
