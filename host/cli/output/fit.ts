import { width } from './width.ts';

/** The title and the cells of a column, one line of plain text each. */
export interface ColumnCells {
  readonly title: string;
  readonly cells: readonly string[];
}

const gap = 2;
/** Minimum width of a column with several words. */
const narrowest = 16;
/** Words longer than this are broken instead of widening their column. */
const longestWord = 40;

/**
 * Returns the widths of the columns that fit. Without `columns` each column is as wide as its content. Else titles and
 * texts of several words are wrapped; ids and other single words are never wrapped, so that they can be copied. When
 * that is not enough, the last columns are omitted.
 */
export function fit(drafts: readonly ColumnCells[], columns: number | undefined): number[] {
  const natural = drafts.map(({ title, cells }) => Math.max(width(title), ...cells.map(width)));
  if (columns === undefined || needed(natural) <= columns) return natural;
  const minimum = drafts.map((draft) => Math.max(longestIn(draft.title), ...draft.cells.map(leastOf)));
  let shown = drafts.length;
  while (shown > 1 && needed(minimum.slice(0, shown)) > columns) shown -= 1;
  return shared(minimum.slice(0, shown), natural.slice(0, shown), columns);
}

/** Wraps a text to a width: between words, and inside a word only when the word is wider than the column. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (width(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const parts = broken(word, columns);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? '';
  }
  return [...lines, line];
}

const needed = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => sum + each, gap * (widths.length - 1));
const longestIn = (text: string): number => Math.max(...text.split(' ').map(width));
const leastOf = (cell: string): number =>
  cell.includes(' ')
    ? Math.min(width(cell), Math.max(narrowest, Math.min(longestIn(cell), longestWord)))
    : width(cell);

/** Distributes the remaining width, column by column, to the narrowest columns that need more. */
function shared(minimum: readonly number[], natural: readonly number[], columns: number): number[] {
  const widths = [...minimum];
  for (let left = columns - needed(widths); left > 0; left -= 1) {
    const wanting = [...widths.keys()].filter((column) => (widths[column] ?? 0) < (natural[column] ?? 0));
    const next = wanting.toSorted((a, b) => (widths[a] ?? 0) - (widths[b] ?? 0))[0];
    if (next === undefined) break;
    widths[next] = (widths[next] ?? 0) + 1;
  }
  return widths;
}

function broken(word: string, columns: number): string[] {
  const parts = [''];
  for (const letter of word) {
    const longer = `${parts.at(-1) ?? ''}${letter}`;
    if (width(longer) <= columns || parts.at(-1) === '') parts[parts.length - 1] = longer;
    else parts.push(letter);
  }
  return parts;
}
