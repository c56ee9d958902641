import { isObject } from '../../core/schema/is-object.ts';
import { invalidInput, scriptRefusal } from './client/script.ts';

/**
 * A scheduler names all its hosts at once, and no more than some of its requests. Each costs time in which nobody else
 * is answered.
 */
const most = { machines: 100_000, requests: 10_000 } as const;
type Key = keyof typeof most;

/**
 * The entries under a key: a list, or the one object that stands for it in the scheduler's own documentation. Refuses
 * what is neither, too many, and none at all.
 */
export function entriesIn(input: unknown, key: Key): readonly unknown[] {
  const entries = optionalEntriesIn(input, key);
  if (entries.length === 0) throw invalidInput();
  return entries;
}

/** As `entriesIn`; none at all is an empty list. */
export function optionalEntriesIn(input: unknown, key: Key): readonly unknown[] {
  if (!isObject(input)) throw invalidInput();
  const given = input[key] ?? [];
  if (Array.isArray(given)) {
    if (given.length > most[key]) throw scriptRefusal(`There are more than ${most[key]} ${key} in the input file.`);
    return given;
  }
  if (!isObject(given)) throw invalidInput();
  return Object.keys(given).length === 0 ? [] : [given];
}

/** A host as a scheduler names it. */
export interface NamedHost {
  readonly machine_id?: string;
  readonly name?: string;
}

/**
 * The hosts under `machines`: objects with an id, a name or both; a text alone is a name. What names nothing is passed
 * over, so that one odd entry keeps no other from being told or taken back. /
 */
export function hostsIn(entries: readonly unknown[]): readonly NamedHost[] {
  return entries.flatMap((entry) => {
    const { machineId, name } = isObject(entry) ? entry : { machineId: undefined, name: entry };
    const host = { ...(isText(machineId) ? { machine_id: machineId } : {}), ...(isText(name) ? { name } : {}) };
    return host.machine_id === undefined && host.name === undefined ? [] : [host];
  });
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
