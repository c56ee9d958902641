import { isObject } from './is-object.ts';

/**
 * Returns the patterns in a schema that could take long for some text, because they may try one part of the text in
 * several ways: with a group that repeats, with several unbounded repetitions, or with one that may begin anywhere.
 * Some of them never do. The others take a time that grows with the square of the length, or doubles with each
 * character.
 */
export function slowPatterns(schema: unknown): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  (function look(part: unknown): void {
    if (!(isObject(part) || Array.isArray(part)) || seen.has(part)) return;
    seen.add(part);
    const { pattern, patternProperties } = part as Readonly<Record<string, unknown>>;
    const names = isObject(patternProperties) ? Object.keys(patternProperties) : [];
    for (const each of [pattern, ...names]) if (typeof each === 'string' && maySlow(each)) found.add(each);
    for (const each of Object.values(part)) look(each);
  })(schema);
  return [...found];
}

function maySlow(pattern: string): boolean {
  const plain = pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x');
  if (/\)[*+{]/.test(plain)) return true;
  const unbounded = plain.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  return unbounded > 1 || (unbounded === 1 && !isAnchored(plain));
}

/** Whether it can begin at the begin of a text only. */
const isAnchored = (plain: string): boolean => plain.startsWith('^') && !withoutGroups(plain).includes('|');

function withoutGroups(plain: string): string {
  const shorter = plain.replaceAll(/\([^()]*\)/g, 'x');
  return shorter === plain ? plain : withoutGroups(shorter);
}
