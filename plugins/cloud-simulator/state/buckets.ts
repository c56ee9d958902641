import type { BucketSize } from '../knobs/wire-knobs.ts';

/** A token bucket of an account in a region. */
export interface Bucket {
  readonly size: BucketSize;
  tokens: number;
  at: number;
}

/** The bucket with its tokens as of `now`. A new bucket, or one whose size has changed, is full. */
export function filledBucket(buckets: Map<string, Bucket>, key: string, size: BucketSize, now: number): Bucket {
  const known = buckets.get(key);
  if (known !== undefined && known.size.capacity === size.capacity && known.size.per_second === size.per_second) {
    known.tokens = Math.min(size.capacity, known.tokens + ((now - known.at) / 1000) * size.per_second);
    known.at = now;
    return known;
  }
  const made = { size, tokens: size.capacity, at: now };
  buckets.set(key, made);
  return made;
}
