import { columnsOf, type Column } from './columns.ts';
import { configurationTable } from './configuration-table.ts';
import { explanationText } from './explanation.ts';
import { emptyList } from './empty-list.ts';
import { searchedText } from './orphan-searches.ts';
import { timelineText } from './timeline.ts';
import { pairs, table, type TableOptions } from './table.ts';
import { isRow, isTable, plainText, type Row } from './values.ts';

/**
 * Formats the answer of an operation for a person: a list as a table, an object as its fields, with a table for each
 * list of objects in it. `input`: the input of the call, for the message about an empty list.
 */
export function answerTable(operation: string, answer: unknown, options: TableOptions, input: Row = {}): string {
  if (operation === 'get_configuration' && isRow(answer)) return configurationTable(answer, options);
  if (operation === 'explain_request' && isRow(answer)) return explanationText(answer, options);
  if (operation === 'get_request_timeline' && isRow(answer)) return timelineText(answer, options);
  if (operation === 'list_orphans' && isRow(answer))
    return `${answerOf(operation, answer, options, input)}${searchedText(answer['searches'], options)}`;
  return answerOf(operation, answer, options, input);
}

function answerOf(operation: string, answer: unknown, options: TableOptions, input: Row): string {
  if (Array.isArray(answer)) return answer.map((each) => answerTable(operation, each, options, input)).join('\n');
  if (!isRow(answer)) return `${plainText(answer)}\n`;
  const columns = columnsOf[operation];
  const whole = Object.values(answer).find((value) => Array.isArray(value)) as readonly Row[] | undefined;
  if (whole?.length === 0 && isList(answer))
    return `${emptyList(operation, input, matchingOf(answer) ?? 0, answer)}\n`;
  if (columns && whole) return rowsTable(whole, columns, options);
  return fields(answer, listsIn(answer), options);
}

/** Returns the number of entries in the list of an answer and the total, when the list is not complete. */
export function partShown(answer: unknown): { readonly shown: number; readonly of: number } | undefined {
  if (!isRow(answer)) return undefined;
  const list = Object.values(answer).find((value) => Array.isArray(value)) as unknown[] | undefined;
  const of = matchingOf(answer);
  return list && of !== undefined && of > list.length ? { shown: list.length, of } : undefined;
}

/** The total number of matches. */
function matchingOf(answer: Row): number | undefined {
  const of = answer['total_count'] ?? answer['total'];
  return typeof of === 'number' ? of : undefined;
}

/** Whether the answer consists of a list and its metadata. */
const isList = (answer: Row): boolean =>
  Object.entries(answer).every(([name, value]) => Array.isArray(value) || metadataFields.has(name) || value === null);
const metadataFields = new Set([
  'count',
  'total',
  'total_count',
  'enabled',
  'filters',
  'message',
  'success',
  'timestamp',
  'next',
]);

/** The lists of objects in an object, and behind them those in its objects. */
const listsIn = (answer: Row): [string, readonly Row[]][] => [
  ...Object.entries(answer).filter((entry): entry is [string, readonly Row[]] => isTable(entry[1])),
  ...Object.values(answer).flatMap((value) => (isRow(value) ? listsIn(value) : [])),
];

function fields(answer: Row, lists: readonly (readonly [string, readonly Row[]])[], options: TableOptions): string {
  const listed = new Set(lists.map(([name]) => name));
  const single = only(answer);
  const simple = Object.entries(single ?? answer).flatMap(([name, value]) =>
    listed.has(name) ? [] : flat(name, value),
  );
  const parts = [
    pairs(simple, options),
    ...lists.map(([name, rows]) => `\n${rowsTable(rows, columnsOf[name] ?? plainColumns(rows), options)}`),
  ];
  return parts.join('').replace(/^\n/, '');
}

/** Unwraps an answer with a single object: `{template: {…}, timestamp}` becomes the template. */
function only(answer: Row): Row | undefined {
  const entries = Object.entries(answer).filter(([name]) => name !== 'timestamp');
  const [entry] = entries;
  return entries.length === 1 && entry && isRow(entry[1]) ? entry[1] : undefined;
}

/** Flattens nested objects to dotted names: `fulfilment.delivered`. Empty values and lists of objects are omitted. */
function flat(name: string, value: unknown): [string, string][] {
  if (isTable(value)) return [];
  if (isRow(value)) return Object.entries(value).flatMap(([key, each]) => flat(`${name}.${key}`, each));
  const text = plainText(value);
  return text === '' ? [] : [[name, text]];
}

function rowsTable(rows: readonly Row[], columns: readonly Column[], options: TableOptions): string {
  const read = (row: Row, column: Column): unknown => (typeof column === 'string' ? row[column] : column.of(row));
  // Columns without any value are omitted.
  const shown = columns.filter(
    (column) => rows.length === 0 || rows.some((row) => plainText(read(row, column)) !== ''),
  );
  return table(
    shown.map((column) => (typeof column === 'string' ? column : column.title)),
    rows.map((row) => shown.map((column) => plainText(read(row, column)))),
    options,
  );
}

function plainColumns(rows: readonly Row[]): string[] {
  return [
    ...new Set(
      rows.flatMap((row) =>
        Object.entries(row).flatMap(([name, value]) => (isRow(value) || isTable(value) ? [] : [name])),
      ),
    ),
  ];
}
