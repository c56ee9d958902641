/** A repeatable source of random numbers: the same seed gives the same ids and the same choices. */
export interface RandomSource {
  /** 0 ≤ number < 1. */
  next(): number;
  /** `digits` lower-case hexadecimal digits, for ids. */
  hex(digits: number): string;
  /** Restarts the sequence of `next`. Ids continue, so that none is used twice. */
  seed(seed: number): void;
}

/** Creates a source from one number. Not suitable for secrets. */
export function seededRandom(seed: number): RandomSource {
  let chance = words(seed);
  const ids = words(seed, 0x5bd1e995);
  return {
    next: () => chance() / 0x1_0000_0000,
    hex(digits) {
      const parts: string[] = [];
      for (let left = digits; left > 0; left -= 8) parts.push(ids().toString(16).padStart(8, '0').slice(0, left));
      // `join` gives a flat string; concatenation would keep a chain of its pieces in memory.
      return parts.join('');
    },
    seed: (value) => void (chance = words(value)),
  };
}

/** sfc32: words of 32 bits, one stream for each pair of numbers. */
function words(seed: number, stream = 0x9e3779b9): () => number {
  let a = seed | 0;
  let b = (seed / 0x1_0000_0000) | 0;
  let c = stream | 0;
  let counter = 1;

  function word(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  }

  // Small seeds give similar first words, so these words are skipped.
  for (let turn = 0; turn < 15; turn++) word();
  return word;
}

/** An id in the form of a UUID, derived from the seed. */
export function uuid(random: RandomSource): string {
  const hex = random.hex(32);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
