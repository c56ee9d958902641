import { isObject } from '../is-object.ts';
import { patternsOf } from '../patterns-of.ts';

/** A longer pattern counts as slow without a look at it. */
const longest = 1_000;
/** In how many ways a quick pattern may try a text, besides one repetition that has no bound. */
const mostWays = 1_000;
/** The same beside such a repetition, which tries them for each of its lengths. */
const mostWaysUnbounded = 4;

/**
 * Returns the patterns in a schema that are not known to be quick for each text, as text. Some of them never are
 * slow; others take a time that grows with the square of the length, or doubles with each character. Quick is a
 * pattern that begins at the begin of the text, repeats no group, refers to no group, has one repetition without a
 * bound at most, and few ways to divide a text among the others.
 */
export function slowPatterns(schema: unknown): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  (function look(part: unknown): void {
    if (!(isObject(part) || Array.isArray(part)) || seen.has(part)) return;
    seen.add(part);
    for (const each of patternsOf(part).map((given) => (typeof given === 'string' ? given : given.source)))
      if (maySlow(each)) found.add(each);
    for (const each of Object.values(part)) look(each);
  })(schema);
  return [...found];
}

function maySlow(pattern: string): boolean {
  if (pattern.length > longest || /\\[1-9k]|\(\?</.test(pattern)) return true;
  // Characters that are escaped or between brackets are no signs.
  const plain = pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x').replaceAll(/\(\?[:=!]/g, '(');
  if (/\)[*+{]/.test(plain)) return true;
  let ways = 1;
  let unbounded = 0;
  for (const [sign, least, comma, most] of plain.matchAll(/[*+?]|\{(\d+)(,?)(\d*)\}/g)) {
    if (sign === '?') ways *= 2;
    else if (sign === '*' || sign === '+' || (comma === ',' && most === '')) unbounded += 1;
    else if (comma === ',') ways *= Number(most) - Number(least) + 1;
  }
  if (ways === 1 && unbounded === 0) return false;
  return !isAnchored(plain) || unbounded > 1 || ways > (unbounded === 0 ? mostWays : mostWaysUnbounded);
}

/** Whether it can begin at the begin of a text only. */
const isAnchored = (plain: string): boolean => plain.startsWith('^') && !withoutGroups(plain).includes('|');

function withoutGroups(plain: string): string {
  const shorter = plain.replaceAll(/\([^()]*\)/g, 'x');
  return shorter === plain ? plain : withoutGroups(shorter);
}
