/** `3 machines`, `1 machine`. */
export const machinesOf = (count: number): string => `${count} ${count === 1 ? 'machine' : 'machines'}`;

export const were = (count: number): string => (count === 1 ? 'was' : 'were');

/** `'a', 'b' and 2 others`. */
export function namesOf(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).map((name) => `'${name}'`);
  const left = names.length - shown.length;
  return listOf(left === 0 ? shown : [...shown, `${left} others`]);
}

/** `a, b and c`. */
export const listOf = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** The most characters of a message of a provider in a sentence. */
const longest = 200;

/** The first sentence of a message of a provider, as a part of another one: without its code and its full stop. */
export function gistOf(message: string): string {
  const text = message
    .replace(/\s*Error Code: \S+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[.!?]\s+(?=[A-Z'"]).*$/, '')
    .replace(/\.$/, '');
  return text.length > longest ? `${text.slice(0, longest - 2)} …` : text;
}
