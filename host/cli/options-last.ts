/** Options of every operation that people write before the command as well: those with a value, and the one without. */
const early = ['--url', '--config', '--output', '-o', '--call-timeout'];
const alone = '--no-server';

/** `muster --url URL requests list` as `muster requests list --url URL`. */
export function optionsLast([node = '', main = '', ...rest]: readonly string[]): string[] {
  const moved: string[] = [];
  for (;;) {
    const [first = ''] = rest;
    if (early.includes(first) && rest.length > 1) moved.push(...rest.splice(0, 2));
    else if (first === alone || early.some((option) => first.startsWith(`${option}=`))) moved.push(...rest.splice(0, 1));
    else break;
  }
  return [node, main, ...rest.slice(0, 2), ...moved, ...rest.slice(2)];
}
