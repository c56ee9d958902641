/** Options of every operation that may stand before the command: with a value, and without. */
const early = ['--url', '--config', '--output', '-o', '--call-timeout'];
const flag = '--no-server';

/** The options that may stand before the command. */
export const earlyOptions: readonly string[] = [...early, flag];

/**
 * Moves early options behind the command: `muster --url URL requests --output json list` becomes `muster requests list
 * --url URL --output json`.
 */
export function optionsLast([node = '', main = '', ...rest]: readonly string[]): string[] {
  const moved: string[] = [];
  const words: string[] = [];
  // The group and its command.
  while (words.length < 2 && rest.length > 0) {
    const [first = ''] = rest;
    if (early.includes(first) && rest.length > 1) moved.push(...rest.splice(0, 2));
    else if (first === flag || early.some((option) => first.startsWith(`${option}=`)))
      moved.push(...rest.splice(0, 1));
    else if (first.startsWith('-')) break;
    else words.push(...rest.splice(0, 1));
  }
  return [node, main, ...words, ...moved, ...rest];
}
