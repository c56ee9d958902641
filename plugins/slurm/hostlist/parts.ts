import { HostlistError } from './hostlist-error.ts';

/** The most numbers of one range, as in Slurm. */
export const mostOfRange = 65_536;

/** Splits a hostlist at the commas outside of brackets. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let depth = 0;
  for (const letter of text.trim()) {
    if (letter === '[') depth += 1;
    if (letter === ']') depth -= 1;
    if (depth < 0 || depth > 1) throw new HostlistError(`'${text}' has brackets that do not match`);
    if (letter === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += letter;
  }
  if (depth !== 0) throw new HostlistError(`'${text}' has brackets that do not match`);
  parts.push(part.trim());
  return parts;
}

const name = /^[A-Za-z0-9._-]*$/;

/** The names of one entry: a prefix with brackets, which multiply. Nothing follows the last bracket. */
export function* expandGroup(entry: string, most: number): Generator<string> {
  const pieces = [...entry.matchAll(/([^[\]]*)\[([^[\]]*)\]/g)];
  const used = pieces.reduce((length, [whole]) => length + whole.length, 0);
  const rest = entry.slice(used);
  if (pieces.length > 0 && rest !== '') throw new HostlistError(`'${entry}' has text after its last bracket`);
  if (!name.test(rest)) throw new HostlistError(`'${entry}' is no host name`);
  if (pieces.length === 0) {
    yield entry;
    return;
  }
  const choices = pieces.map(([, prefix = '', ranges = '']) => {
    if (!name.test(prefix)) throw new HostlistError(`'${entry}' is no host name`);
    return { prefix, numbers: numbersOf(ranges, entry, most) };
  });
  yield* combine(choices, 0, '');
}

function* combine(
  choices: readonly { readonly prefix: string; readonly numbers: readonly string[] }[],
  at: number,
  before: string,
): Generator<string> {
  const choice = choices[at];
  if (!choice) yield before;
  else for (const number of choice.numbers) yield* combine(choices, at + 1, `${before}${choice.prefix}${number}`);
}

function numbersOf(ranges: string, entry: string, most: number): string[] {
  return ranges.split(',').flatMap((range) => {
    const [, first = '', last = first] = /^(\d+)(?:-(\d+))?$/.exec(range.trim()) ?? [];
    if (first === '') throw new HostlistError(`'${entry}': '${range}' is no number and no range`);
    const count = Number(last) - Number(first) + 1;
    if (count < 1) throw new HostlistError(`'${entry}': '${range}' runs backwards`);
    if (count > most) throw new HostlistError(`'${entry}': '${range}' has more than ${most} numbers`);
    return Array.from({ length: count }, (_, index) => String(Number(first) + index).padStart(first.length, '0'));
  });
}
