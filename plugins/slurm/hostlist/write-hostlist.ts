import { mostOfRange } from './parts.ts';

interface Run {
  readonly prefix: string;
  readonly width: number;
  readonly ranges: [number, number][];
}

/**
 * A hostlist of these names, which `readHostlist` expands to exactly them, in their order. Names that follow each
 * other with one prefix share brackets: `cpu-1, cpu-2, cpu-4` becomes `cpu-[1-2,4]`.
 */
export function writeHostlist(names: readonly string[]): string {
  const runs: (Run | string)[] = [];
  for (const name of names) {
    const [, prefix = '', digits = ''] = /^(.*?)(\d*)$/.exec(name) ?? [];
    // A number that a computer cannot hold exactly stays as it is.
    if (digits === '' || digits.length > 15) {
      runs.push(name);
      continue;
    }
    const number = Number(digits);
    // Leading zeros need the width; without them the width is that of the number.
    const width = digits.length;
    const last = runs.at(-1);
    const range = typeof last === 'object' ? last.ranges.at(-1) : undefined;
    if (typeof last !== 'object' || !range || last.prefix !== prefix || !fits(last, number, width)) {
      runs.push({ prefix, width, ranges: [[number, number]] });
      continue;
    }
    if (number === range[1] + 1 && number - range[0] < mostOfRange) range[1] = number;
    else last.ranges.push([number, number]);
  }
  return runs.map(textOf).join(',');
}

/** Whether a number has the same text in a range of this width: `9-10` has widths 1 and 2, `09-10` has 2. */
const fits = ({ width, ranges }: Run, number: number, own: number): boolean => {
  const [[first] = [0]] = ranges;
  const padded = String(first).length < width;
  return padded ? own === width : String(number).length === own && own >= width;
};

function textOf(run: Run | string): string {
  if (typeof run === 'string') return run;
  const { prefix, width, ranges } = run;
  const [[first, last] = [0, 0]] = ranges;
  if (ranges.length === 1 && first === last) return `${prefix}${padded(first, width)}`;
  const texts = ranges.map(([from, to]) =>
    from === to ? padded(from, width) : `${padded(from, width)}-${padded(to, width)}`,
  );
  return `${prefix}[${texts.join(',')}]`;
}

const padded = (number: number, width: number): string => String(number).padStart(width, '0');
