/** Chance that a seed repeats. */
export interface Dice {
  /** A whole number from 0 to `below - 1`. */
  roll(below: number): number;
  pick<T>(from: readonly T[]): T;
}

/** A linear congruential generator: good enough to choose moments by. */
export function dice(seed: number): Dice {
  let state = BigInt(seed) & 0xffffffffffffn;
  const roll = (below: number): number => {
    state = (state * 0x5deece66dn + 0xbn) & 0xffffffffffffn;
    return Number((state >> 16n) % BigInt(below));
  };
  for (let i = 0; i < 8; i++) roll(2);
  return { roll, pick: (from) => from[roll(from.length)] as (typeof from)[number] };
}
