/** A repeatable source of chance: the same seed gives the same ids and the same choices. */
export interface RandomSource {
  /** 0 ≤ number < 1. */
  next(): number;
  /** `digits` lower-case hexadecimal digits. */
  hex(digits: number): string;
  seed(seed: number): void;
}

/** sfc32, seeded with one number. Not for secrets. */
export function seededRandom(seed: number): RandomSource {
  let a = 0;
  let b = 0;
  let c = 0;
  let counter = 0;

  function word(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  }

  function reseed(value: number): void {
    a = value | 0;
    b = (value / 0x1_0000_0000) | 0;
    c = 0x9e3779b9 | 0;
    counter = 1;
    // The first words of a small seed resemble each other.
    for (let turn = 0; turn < 15; turn++) word();
  }

  reseed(seed);
  return {
    next: () => word() / 0x1_0000_0000,
    hex(digits) {
      const words: string[] = [];
      for (let left = digits; left > 0; left -= 8) words.push(word().toString(16).padStart(8, '0').slice(0, left));
      // Joined, an id is one string and not a chain of its pieces.
      return words.join('');
    },
    seed: reseed,
  };
}
