import { styleText } from 'node:util';
import { printableLine } from '../../process/printable.ts';
import { fit, wrapped } from './fit.ts';
import { width } from './width.ts';

export interface TableOptions {
  readonly colors: boolean;
  /** Width of the terminal. Absent when the output is not a terminal: then nothing is cut or wrapped. */
  readonly columns?: number;
}

/** Minimum width for wrapping a value: below it every line would hold one word. */
const narrowestValue = 20;

/**
 * Formats rows with a header. Values are one line of plain text each. On a narrow terminal the last line lists omitted
 * columns.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[], options: TableOptions): string {
  const titles = head.map((name) => printableLine(name).toUpperCase().replaceAll('_', ' '));
  const text = rows.map((row) => row.map(printableLine));
  const drafts = titles.map((title, column) => ({ title, cells: text.map((row) => row[column] ?? '') }));
  const widths = fit(drafts, options.columns);
  const bold = (cell: string) => (options.colors ? styleText('bold', cell, { validateStream: false }) : cell);
  const lines = [
    ...linesOf(titles, widths, bold),
    ...text.flatMap((row) => linesOf(row, widths, (cell) => colored(cell, options))),
    ...notShown(head.slice(widths.length), options),
  ];
  return lines.map((each) => `${each}\n`).join('');
}

function notShown(names: readonly string[], { columns = Infinity }: TableOptions): string[] {
  return names.length === 0
    ? []
    : wrapped(`Not shown at this width: ${names.map(printableLine).join(', ')}.`, columns);
}

function linesOf(row: readonly string[], widths: readonly number[], paint: (cell: string) => string): string[] {
  const cells = widths.map((columns, place) =>
    width(row[place] ?? '') <= columns ? [row[place] ?? ''] : wrapped(row[place] ?? '', columns),
  );
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, place) => {
        const cell = lines[line] ?? '';
        return paint(cell) + ' '.repeat(Math.max(0, (widths[place] ?? 0) - width(cell)));
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Formats names with their values, one per line; on a terminal a long text is wrapped and indented. */
export function pairs(given: readonly (readonly [string, string])[], options: TableOptions): string {
  // Names can be keys that a caller or a plugin chose.
  const entries = given.map(([name, value]) => [printableLine(name), printableLine(value)] as const);
  const widest = Math.max(0, ...entries.map(([name]) => width(name)));
  const room = (options.columns ?? Infinity) - widest - 2;
  return entries
    .flatMap(([name, value]) => {
      const [first = '', ...more] = room < narrowestValue ? [value] : betweenWords(value, room);
      const head = `${name}${' '.repeat(widest - width(name))}  ${colored(first, options)}`.trimEnd();
      return [head, ...more.map((line) => `${' '.repeat(widest + 2)}${line}`)].map((line) => `${line}\n`);
    })
    .join('');
}

/** Wraps between words only; the terminal breaks longer words. */
function betweenWords(text: string, room: number): string[] {
  if (width(text) <= room) return [text];
  const longest = Math.max(...text.split(' ').map(width));
  return wrapped(text, Math.max(room, longest));
}

const colors: Readonly<Record<string, 'green' | 'yellow' | 'red' | 'dim'>> = {
  ...Object.fromEntries(
    ['completed', 'running', 'healthy', 'true', 'ok', 'free', 'selected'].map((word) => [word, 'green']),
  ),
  ...Object.fromEntries(
    ['pending', 'in_progress', 'shutting-down', 'stopping', 'short'].map((word) => [word, 'yellow']),
  ),
  ...Object.fromEntries(
    ['failed', 'cancelled', 'unhealthy', 'missing', 'false', 'wrong', 'refused'].map((word) => [word, 'red']),
  ),
  ...Object.fromEntries(['disabled', 'stopped', 'terminated'].map((word) => [word, 'dim'])),
};

function colored(text: string, options: TableOptions): string {
  const color = options.colors && Object.hasOwn(colors, text) ? colors[text] : undefined;
  return color ? styleText(color, text, { validateStream: false }) : text;
}
