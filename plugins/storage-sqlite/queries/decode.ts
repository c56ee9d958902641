import type { Records, Kind, Shape } from '../../../core/index.ts';
import { quoted } from '../../../core/index.ts';
import { Damaged } from '../database/failures.ts';
import type { Row } from './statements.ts';

/** The columns that `decode` needs. */
export const selected = (shape: Shape): string => ['doc', ...shape.maintained].map(quoted).join(', ');

export function decode<K extends Kind>(shape: Shape, found: Row): Records[K] {
  const record = parsed(shape, found[0] as string);
  shape.maintained.forEach((field, i) => {
    record[field] = found[i + 1];
  });
  return record;
}

function parsed(shape: Shape, text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    // The document may contain secrets: the message does not quote it.
    throw new Damaged(`a record of kind ${shape.kind} cannot be parsed`);
  }
}
