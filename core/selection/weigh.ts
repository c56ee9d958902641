/** A 32-bit FNV-1a hash of a text, stable over processes and versions. For distribution, not for secrets. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Distributes every bit of the input over the whole word (the finalizer of murmur3). */
function mix(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The hashes of a name or a key, computed once for all pairs. */
export interface Digest {
  readonly hash: number;
  readonly mixed: number;
}

export function digestOfName(name: string): Digest {
  const hash = hashText(name);
  return { hash, mixed: mix(hash) };
}

export function digestOfKey(key: string): Digest {
  const hash = hashText(key);
  return { hash, mixed: mix(hash + 0x9e3779b9) };
}

/** A number in (0, 1) that depends on both hashes. */
function unit(key: Digest, name: Digest): number {
  const high = mix(key.hash ^ name.mixed);
  const low = mix(name.hash ^ key.mixed);
  return (high * 2 ** 21 + (low >>> 11) + 0.5) / 2 ** 53;
}

/**
 * The score of one name for one key in weighted rendezvous hashing. The name with the highest score wins, and each
 * name wins a share of keys in proportion to its weight. The method needs no counter and gives the same result in
 * every process. A name that is removed moves only its own keys.
 */
export function rendezvous(key: Digest, name: Digest, weight: number): number {
  return -weight / Math.log(unit(key, name));
}
