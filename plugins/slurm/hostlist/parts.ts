import { HostlistError } from './hostlist-error.ts';

/** The most numbers of one range, as in Slurm. */
export const mostOfRange = 65_536;

/** The longest name, as of names of machines in requests. */
const longestName = 128;
/** The most brackets of one entry: a cluster has one or two, for racks and nodes. */
const mostBrackets = 8;
/** The longest number: a computer holds it exactly. */
const mostDigits = 15;

/** A text for messages: a hostlist may be long. */
const shown = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** Splits a hostlist at the commas outside of brackets. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let depth = 0;
  for (const letter of text.trim()) {
    if (letter === '[') depth += 1;
    if (letter === ']') depth -= 1;
    if (depth < 0 || depth > 1) throw new HostlistError(`'${shown(text)}' has brackets that do not match`);
    if (letter === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += letter;
  }
  if (depth !== 0) throw new HostlistError(`'${shown(text)}' has brackets that do not match`);
  parts.push(part.trim());
  return parts;
}

const name = /^[A-Za-z0-9._-]*$/;

/**
 * The names of one entry: a prefix with brackets, which multiply. Nothing follows the last bracket. A range has at
 * most `ofRange` numbers, and an entry at most `most` names, which is known before a name is made.
 */
export function* expandGroup(entry: string, ofRange: number, most: number): Generator<string> {
  // Brackets match and are not nested, so each `[` ends a prefix. A regular expression over all of it is quadratic.
  const [head = '', ...tails] = entry.split('[');
  let prefix = head;
  const pieces = tails.map((tail): [string, string] => {
    const end = tail.indexOf(']');
    const piece: [string, string] = [prefix, tail.slice(0, end)];
    prefix = tail.slice(end + 1);
    return piece;
  });
  const rest = prefix;
  if (pieces.length > mostBrackets)
    throw new HostlistError(`'${shown(entry)}' has more than ${mostBrackets} brackets`);
  if (pieces.length > 0 && rest !== '') throw new HostlistError(`'${shown(entry)}' has text after its last bracket`);
  if (!name.test(rest)) throw new HostlistError(`'${shown(entry)}' is no host name`);
  if (pieces.length === 0) {
    if (entry.length > longestName) throw tooLong(entry);
    yield entry;
    return;
  }
  let left = most;
  const choices = pieces.map(([before, ranges]) => {
    if (!name.test(before)) throw new HostlistError(`'${shown(entry)}' is no host name`);
    const numbers = numbersOf(ranges, entry, { ofRange, most: left });
    left = Math.floor(left / numbers.length);
    return { prefix: before, numbers };
  });
  const longest = choices.reduce((length, { prefix, numbers }) => length + prefix.length + longestOf(numbers), 0);
  if (longest > longestName) throw tooLong(entry);
  yield* combine(choices, 0, '');
}

const tooLong = (entry: string): HostlistError =>
  new HostlistError(`'${shown(entry)}' has names of more than ${longestName} letters`);

const longestOf = (numbers: readonly string[]): number =>
  numbers.reduce((most, { length }) => Math.max(most, length), 0);

function* combine(
  choices: readonly { readonly prefix: string; readonly numbers: readonly string[] }[],
  at: number,
  before: string,
): Generator<string> {
  const choice = choices[at];
  if (!choice) yield before;
  else for (const number of choice.numbers) yield* combine(choices, at + 1, `${before}${choice.prefix}${number}`);
}

function numbersOf(
  ranges: string,
  entry: string,
  { ofRange, most }: { readonly ofRange: number; readonly most: number },
): string[] {
  const numbers: string[] = [];
  for (const range of ranges.split(',')) {
    const [, first = '', last = first] = /^(\d+)(?:-(\d+))?$/.exec(range.trim()) ?? [];
    const wrong = (why: string) => new HostlistError(`'${shown(entry)}': '${shown(range)}' ${why}`);
    if (first === '') throw wrong('is no number and no range');
    if (Math.max(first.length, last.length) > mostDigits) throw wrong(`has more than ${mostDigits} digits`);
    const count = Number(last) - Number(first) + 1;
    if (count < 1) throw wrong('runs backwards');
    if (count > ofRange) throw wrong(`has more than ${ofRange} numbers`);
    if (numbers.length + count > most) throw new HostlistError(`'${shown(entry)}' has too many names`);
    for (let index = 0; index < count; index += 1)
      numbers.push(String(Number(first) + index).padStart(first.length, '0'));
  }
  return numbers;
}
