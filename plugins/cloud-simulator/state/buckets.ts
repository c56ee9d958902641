import type { BucketSize } from '../knobs/wire-knobs.ts';
import type { Moment } from '../dispatch/call-context.ts';

/** A token bucket of an account in a region. */
export interface Bucket {
  readonly size: BucketSize;
  tokens: number;
  at: number;
}

/** A bucket with what has flowed in until now. It is full when it is new or has got another size. */
export function filledBucket({ state, now }: Moment, key: string, size: BucketSize): Bucket {
  const known = state.buckets.get(key);
  if (known !== undefined && known.size.capacity === size.capacity && known.size.per_second === size.per_second) {
    known.tokens = Math.min(size.capacity, known.tokens + ((now - known.at) / 1000) * size.per_second);
    known.at = now;
    return known;
  }
  const made = { size, tokens: size.capacity, at: now };
  state.buckets.set(key, made);
  return made;
}
