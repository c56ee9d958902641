import type { Instance } from './instance.ts';
import type { Tags } from '../tags.ts';

/** All machines of a region, findable by id, tag and client token without a scan. */
export interface InstanceTable {
  readonly size: number;
  add(instance: Instance): void;
  get(id: string): Instance | undefined;
  byTag(key: string, value: string): ReadonlySet<Instance>;
  byToken(token: string): ReadonlySet<Instance>;
  retag(instance: Instance, tags: Tags): void;
  /** Removes a machine, an hour after its end. */
  remove(instance: Instance): void;
  /** Machines after `place`, in order of launch. */
  after(place: number): Iterable<Instance>;
  [Symbol.iterator](): Iterator<Instance>;
}

const none: ReadonlySet<Instance> = new Set();

/** Most tokens and many tags have one machine: a set for each would need more memory than the machine. */
type Few = Instance | Set<Instance>;

export function createInstanceTable(): InstanceTable {
  const byId = new Map<string, Instance>();
  const tagIndex = new Map<string, Map<string, Few>>();
  const tokenIndex = new Map<string, Few>();
  // Sorted by place. Removed machines stay in the list until they are the majority.
  let ordered: Instance[] = [];

  function index(instance: Instance): void {
    for (const [key, value] of instance.tags) {
      let values = tagIndex.get(key);
      if (values === undefined) tagIndex.set(key, (values = new Map()));
      put(values, value, instance);
    }
  }

  function unindex(instance: Instance): void {
    for (const [key, value] of instance.tags) {
      const values = tagIndex.get(key);
      if (values === undefined) continue;
      take(values, value, instance);
      if (values.size === 0) tagIndex.delete(key);
    }
  }

  return {
    get size() {
      return byId.size;
    },
    add(instance) {
      byId.set(instance.id, instance);
      ordered.push(instance);
      index(instance);
      const token = instance.reservation.token;
      if (token !== undefined) put(tokenIndex, token, instance);
    },
    get: (id) => byId.get(id),
    byTag: (key, value) => all(tagIndex.get(key)?.get(value)),
    byToken: (token) => all(tokenIndex.get(token)),
    retag(instance, tags) {
      unindex(instance);
      instance.tags = tags;
      index(instance);
    },
    remove(instance) {
      byId.delete(instance.id);
      unindex(instance);
      const token = instance.reservation.token;
      if (token !== undefined) take(tokenIndex, token, instance);
      if (ordered.length > 64 && ordered.length > 2 * byId.size) ordered = [...byId.values()];
    },
    *after(place) {
      const list = ordered;
      for (let at = firstBehind(list, place); at < list.length; at++) {
        const instance = list[at] as Instance;
        if (byId.has(instance.id)) yield instance;
      }
    },
    [Symbol.iterator]: () => byId.values(),
  };
}

function firstBehind(list: readonly Instance[], place: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as Instance).place <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function put(index: Map<string, Few>, key: string, instance: Instance): void {
  const held = index.get(key);
  if (held === undefined) index.set(key, instance);
  else if (held instanceof Set) held.add(instance);
  else index.set(key, new Set([held, instance]));
}

function take(index: Map<string, Few>, key: string, instance: Instance): void {
  const held = index.get(key);
  if (held instanceof Set) held.delete(instance);
  if (held === instance || (held instanceof Set && held.size === 0)) index.delete(key);
}

function all(held: Few | undefined): ReadonlySet<Instance> {
  if (held === undefined) return none;
  return held instanceof Set ? held : new Set([held]);
}
