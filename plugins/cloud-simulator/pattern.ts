/**
 * Whether a value matches a pattern. An absent pattern and `*` match any value; a `*` within stands for any text
 * (`*a` is the first zone of every region).
 */
export function fits(pattern: string | undefined, value: string): boolean {
  if (pattern === undefined || pattern === '*' || pattern === value) return true;
  if (!pattern.includes('*')) return false;
  const source = pattern
    .split('*')
    .map((text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${source}$`).test(value);
}
