import { isObject } from '../../core/schema/is-object.ts';
import { invalidInput, scriptRefusal } from './client/script.ts';

/**
 * Maximum number of entries. A scheduler lists all its hosts at once, and at most some of its requests. Each entry
 * costs time in which no other call is served.
 */
const maxEntries = { machines: 100_000, requests: 10_000 } as const;
type Key = keyof typeof maxEntries;

/**
 * Returns the entries of a key: a list, or the single object that the scheduler's documentation also allows. Throws
 * when there are none, too many, or a value of another type.
 */
export function entriesIn(input: unknown, key: Key): readonly unknown[] {
  const entries = optionalEntriesIn(input, key);
  if (entries.length === 0) throw invalidInput();
  return entries;
}

/** As `entriesIn`; returns an empty list when there are none. */
export function optionalEntriesIn(input: unknown, key: Key): readonly unknown[] {
  if (!isObject(input)) throw invalidInput();
  const given = input[key] ?? [];
  if (Array.isArray(given)) {
    if (given.length > maxEntries[key])
      throw scriptRefusal(`There are more than ${maxEntries[key]} ${key} in the input file.`);
    return given;
  }
  if (!isObject(given)) throw invalidInput();
  return Object.keys(given).length === 0 ? [] : [given];
}

/** A host of the scheduler. */
export interface NamedHost {
  readonly machine_id?: string;
  readonly name?: string;
}

/**
 * Returns the hosts of `machines`: objects with an id, a name or both; a text is a name. Skips entries without id and
 * name, so that one malformed entry does not block the others.
 */
export function hostsIn(entries: readonly unknown[]): readonly NamedHost[] {
  return entries.flatMap((entry) => {
    const { machineId, name } = isObject(entry) ? entry : { machineId: undefined, name: entry };
    const host = { ...(isText(machineId) ? { machine_id: machineId } : {}), ...(isText(name) ? { name } : {}) };
    return host.machine_id === undefined && host.name === undefined ? [] : [host];
  });
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
