import { quoted, type Kind, type Records, type Shape } from '../../../core/index.ts';
import { misuse } from '../database/failures.ts';
import type { Row } from '../connections/statement.ts';

/** The columns whose value a record gets when it is read, whatever its document contains. */
const kept = (shape: Shape): readonly string[] =>
  shape.kind === 'request' ? [...shape.maintained, 'next_at'] : shape.maintained;

/** The columns that `decode` needs. */
export const selected = (shape: Shape): string => ['doc', ...kept(shape)].map(quoted).join(', ');

export function decode<K extends Kind>(shape: Shape, found: Row): Records[K] {
  const record = parsed(shape, found[0] as string);
  kept(shape).forEach((field, i) => {
    record[field] = found[i + 1];
  });
  return record;
}

function parsed(shape: Shape, text: string): any {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The document may contain secrets: the message does not quote it.
    throw misuse(
      `A record of kind ${shape.kind} cannot be parsed: the database is damaged. \`muster storage check\` names it.`,
      error,
    );
  }
}
