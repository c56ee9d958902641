/** Options of every operation that people write before the command as well: those with a value, and the one without. */
const early = ['--url', '--config', '--output', '-o', '--call-timeout'];
const alone = '--no-server';

/** What may stand before the command. */
export const earlyOptions: readonly string[] = [...early, alone];

/** `muster --url URL requests --output json list` as `muster requests list --url URL --output json`. */
export function optionsLast([node = '', main = '', ...rest]: readonly string[]): string[] {
  const moved: string[] = [];
  const words: string[] = [];
  // The group, and the command in it.
  while (words.length < 2 && rest.length > 0) {
    const [first = ''] = rest;
    if (early.includes(first) && rest.length > 1) moved.push(...rest.splice(0, 2));
    else if (first === alone || early.some((option) => first.startsWith(`${option}=`))) moved.push(...rest.splice(0, 1));
    else if (first.startsWith('-')) break;
    else words.push(...rest.splice(0, 1));
  }
  return [node, main, ...words, ...moved, ...rest];
}
