import type { Instance } from './instance.ts';
import type { Tags } from './tags.ts';

/** All machines of a region, findable by id, tag and client token without a scan. */
export interface InstanceTable {
  readonly size: number;
  add(instance: Instance): void;
  get(id: string): Instance | undefined;
  byTag(key: string, value: string): ReadonlySet<Instance>;
  byToken(token: string): ReadonlySet<Instance>;
  retag(instance: Instance, tags: Tags): void;
  /** Forgets a machine: an hour after its end. */
  remove(instance: Instance): void;
  /** Machines behind `place`, in order of launch. */
  after(place: number): Iterable<Instance>;
  [Symbol.iterator](): Iterator<Instance>;
}

const none: ReadonlySet<Instance> = new Set();

export function createInstanceTable(): InstanceTable {
  const byId = new Map<string, Instance>();
  const tagIndex = new Map<string, Map<string, Set<Instance>>>();
  const tokenIndex = new Map<string, Set<Instance>>();
  // Rises by place; removed machines stay in it until they are the larger part.
  let ordered: Instance[] = [];

  function index(instance: Instance): void {
    for (const [key, value] of instance.tags) {
      const values = getOrAdd(tagIndex, key, () => new Map<string, Set<Instance>>());
      getOrAdd(values, value, () => new Set<Instance>()).add(instance);
    }
  }

  function unindex(instance: Instance): void {
    for (const [key, value] of instance.tags) {
      const values = tagIndex.get(key);
      const set = values?.get(value);
      set?.delete(instance);
      if (set?.size === 0) values?.delete(value);
      if (values?.size === 0) tagIndex.delete(key);
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
      if (token !== undefined) getOrAdd(tokenIndex, token, () => new Set<Instance>()).add(instance);
    },
    get: (id) => byId.get(id),
    byTag: (key, value) => tagIndex.get(key)?.get(value) ?? none,
    byToken: (token) => tokenIndex.get(token) ?? none,
    retag(instance, tags) {
      unindex(instance);
      instance.tags = tags;
      index(instance);
    },
    remove(instance) {
      byId.delete(instance.id);
      unindex(instance);
      const token = instance.reservation.token;
      const sharers = token === undefined ? undefined : tokenIndex.get(token);
      sharers?.delete(instance);
      if (token !== undefined && sharers?.size === 0) tokenIndex.delete(token);
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

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
