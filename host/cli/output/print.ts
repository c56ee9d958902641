import { escaped } from '../../process/printable.ts';
import type { Terminal } from '../../process/terminal.ts';
import { answerTable, partShown } from './answer-table.ts';
import { gapSentence } from './event-line.ts';
import { omittedNote } from './empty-list.ts';
import { isRow, type Row } from './values.ts';
import { yamlText } from './yaml-text.ts';

export const forms = ['table', 'json', 'yaml'] as const;
export type Form = (typeof forms)[number];

/** Formats an answer. `each`: the answer is one of a series: JSON takes one line, YAML one document. */
export async function textOf(
  operation: string,
  answer: unknown,
  form: Form,
  { colors, outColumns: columns }: Pick<Terminal, 'colors' | 'outColumns'>,
  { each = false, input = {} }: { readonly each?: boolean; readonly input?: Row } = {},
): Promise<string> {
  if (form === 'json') return `${escaped(JSON.stringify(answer, null, each ? 0 : 2))}\n`;
  if (form === 'table') return answerTable(operation, answer, { colors, ...(columns ? { columns } : {}) }, input);
  return `${each ? '---\n' : ''}${await yamlText(answer)}`;
}

/** Prints an answer; notes that a table cannot contain go to stderr. */
export async function print(
  operation: string,
  answer: unknown,
  form: Form,
  terminal: Terminal,
  input: Row = {},
): Promise<void> {
  terminal.out(await textOf(operation, answer, form, terminal, { input }));
  if (form !== 'table') return;
  const hidden = hasRows(answer) ? omittedNote(operation, input) : undefined;
  if (hidden) terminal.err(`${hidden}\n`);
  if (isRow(answer) && isRow(answer['gap'])) terminal.err(`muster: ${gapSentence(answer['gap'] as never)}\n`);
  const part = partShown(answer);
  if (part) terminal.err(`${part.shown} of ${part.of} are shown; --limit or --page-size and --page show others.\n`);
}

const hasRows = (answer: unknown): boolean =>
  isRow(answer) && Object.values(answer).some((value) => Array.isArray(value) && value.length > 0);
