import type { Terminal } from '../../terminal.ts';
import { answerTable, partShown } from './answer-table.ts';

export const forms = ['table', 'json', 'yaml'] as const;
export type Form = (typeof forms)[number];

/** How an answer is written. `each`: one of many in a row, so that JSON takes a line and YAML is a document of its own. */
export async function textOf(
  operation: string,
  answer: unknown,
  form: Form,
  terminal: Pick<Terminal, 'colours'>,
  each = false,
): Promise<string> {
  if (form === 'json') return `${JSON.stringify(answer, null, each ? 0 : 2)}\n`;
  if (form === 'table') return answerTable(operation, answer, terminal);
  const { stringify } = await import('yaml');
  return `${each ? '---\n' : ''}${stringify(answer, { aliasDuplicateObjects: false, lineWidth: 0 })}`;
}

/** Writes an answer; what a table cannot say goes beside it. */
export async function print(operation: string, answer: unknown, form: Form, terminal: Terminal): Promise<void> {
  terminal.out(await textOf(operation, answer, form, terminal));
  if (form !== 'table') return;
  const part = partShown(answer);
  if (part) terminal.err(`${part.shown} of ${part.of} are shown; --limit or --page-size and --page show others.\n`);
}
