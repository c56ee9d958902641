import type { RandomSource } from '../random.ts';

/** An id in the form of a UUID, repeatable by the seed. */
export function uuid(random: RandomSource): string {
  const hex = random.hex(32);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
