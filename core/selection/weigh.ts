/** A 32-bit hash of a text (FNV-1a): stable over processes and versions, for spreading, not for secrets. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Spreads every bit of the input over the whole word (the finaliser of murmur3). */
function mix(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A number in (0, 1) that depends on both hashes. */
function unit(a: number, b: number): number {
  const high = mix(a ^ mix(b));
  const low = mix(b ^ mix(a + 0x9e3779b9));
  return (high * 2 ** 21 + (low >>> 11) + 0.5) / 2 ** 53;
}

/**
 * The weight of one name for one key in weighted rendezvous hashing: the name with the highest one wins a share of keys that follows
 * its weight. It needs no counter, gives the same answer in every process, and a name that leaves moves only its own keys.
 */
export function rendezvous(keyHash: number, nameHash: number, weight: number): number {
  return -weight / Math.log(unit(keyHash, nameHash));
}
