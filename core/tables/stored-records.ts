import type { StoredRecord } from '../contract/transfer.ts';
import { columnValues, type ColumnValue, type Shape } from './shapes.ts';

/** A page of records ends after this many characters or records. */
const maxCharacters = 1_000_000;
const maxRecords = 500;

/** The columns that are set from the document of a record. */
const ofDocument = ({ key, columns, maintained }: Shape): readonly string[] =>
  [...key, ...columns].filter((field) => !(maintained as readonly string[]).includes(field));

/** The columns of a record that is copied as it is stored. */
export const storedColumns = (shape: Shape): readonly string[] => [...ofDocument(shape), ...shape.maintained, 'doc'];

/** The values of `storedColumns`. Throws a SyntaxError for a document that cannot be parsed. */
export function storedValues(shape: Shape, [doc, ...maintained]: StoredRecord): ColumnValue[] {
  return [...columnValues(JSON.parse(doc), ofDocument(shape)), ...maintained, doc];
}

/** Groups rows into pages, so that only one page is in memory. */
export function* pagesOf<Row extends readonly [string, ...unknown[]]>(rows: Iterable<Row>): Iterable<readonly Row[]> {
  let page: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    page.push(row);
    characters += row[0].length;
    if (page.length < maxRecords && characters < maxCharacters) continue;
    yield page;
    page = [];
    characters = 0;
  }
  if (page.length > 0) yield page;
}
