import { LRUCache } from 'lru-cache';

/** Keeps the `most` values that were used last. Takes memory only for what it keeps, unlike a cache with a `max`. */
export const recentlyUsed = <Value extends {}>(most: number): LRUCache<string, Value> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
