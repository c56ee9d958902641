import { styleText } from 'node:util';

export interface TableOptions {
  readonly colours: boolean;
}

/** Rows under a head, columns as wide as what stands in them. Values are one line of plain text each. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], options: TableOptions): string {
  const titles = head.map((name) => name.toUpperCase().replaceAll('_', ' '));
  const text = rows.map((row) => row.map(plain));
  const widths = titles.map((title, column) => Math.max(width(title), ...text.map((row) => width(row[column] ?? ''))));
  const line = (cells: readonly string[], paint: (cell: string) => string) =>
    `${cells.map((cell, column) => (column === cells.length - 1 ? paint(cell) : paint(cell) + ' '.repeat((widths[column] ?? 0) - width(cell)))).join('  ')}`.trimEnd();
  const bold = (cell: string) => (options.colours ? styleText('bold', cell, { validateStream: false }) : cell);
  return [line(titles, bold), ...text.map((row) => line(row, (cell) => coloured(cell, options)))].map((each) => `${each}\n`).join('');
}

/** Names with their values, one a line. */
export function pairs(entries: readonly (readonly [string, string])[], options: TableOptions): string {
  const widest = Math.max(0, ...entries.map(([name]) => width(name)));
  return entries
    .map(([name, value]) => `${name}${' '.repeat(widest - width(name))}  ${coloured(plain(value), options)}`.trimEnd() + '\n')
    .join('');
}

const colours: Readonly<Record<string, 'green' | 'yellow' | 'red' | 'dim'>> = {
  ...Object.fromEntries(['completed', 'running', 'healthy', 'true', 'ok'].map((word) => [word, 'green'])),
  ...Object.fromEntries(['pending', 'in_progress', 'shutting-down', 'stopping'].map((word) => [word, 'yellow'])),
  ...Object.fromEntries(['failed', 'cancelled', 'unhealthy', 'missing', 'false', 'wrong'].map((word) => [word, 'red'])),
  ...Object.fromEntries(['disabled', 'stopped', 'terminated'].map((word) => [word, 'dim'])),
};

function coloured(text: string, options: TableOptions): string {
  const colour = options.colours && Object.hasOwn(colours, text) ? colours[text] : undefined;
  return colour ? styleText(colour, text, { validateStream: false }) : text;
}

/** One line, and nothing that a terminal would obey: names and messages come from elsewhere. */
export function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is taken out.
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ');
}

const marks = /\p{Mark}|\u200d|\ufe0f/u;
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** Columns that a text takes on a screen. */
export function width(text: string): number {
  let columns = 0;
  for (const letter of text) columns += marks.test(letter) ? 0 : wide.test(letter) ? 2 : 1;
  return columns;
}
