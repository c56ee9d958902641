import { columnsOf, type Column } from './columns.ts';
import { configurationTable } from './configuration-table.ts';
import { emptyList } from './empty-list.ts';
import { pairs, table, type TableOptions } from './table.ts';
import { isRow, isTable, plainText, type Row } from './values.ts';

/**
 * The answer of an operation for a person: a list as a table, one thing as its fields, with a table for each list of
 * things in it. `input`: what
 * was asked, for the sentence that an empty list is.
 */
export function answerTable(operation: string, answer: unknown, options: TableOptions, input: Row = {}): string {
  if (operation === 'get_configuration' && isRow(answer)) return configurationTable(answer, options);
  if (Array.isArray(answer)) return answer.map((each) => answerTable(operation, each, options, input)).join('\n');
  if (!isRow(answer)) return `${plainText(answer)}\n`;
  const columns = columnsOf[operation];
  const whole = Object.values(answer).find((value) => Array.isArray(value)) as readonly Row[] | undefined;
  if (whole?.length === 0 && isList(answer)) return `${emptyList(operation, input, matchingOf(answer) ?? 0)}\n`;
  if (columns && whole) return rowsTable(whole, columns, options);
  const lists = Object.entries(answer).filter((entry): entry is [string, readonly Row[]] => isTable(entry[1]));
  return fields(answer, lists, options);
}

/** What an answer has in a list, and of how many, where the list is not whole. */
export function partShown(answer: unknown): { readonly shown: number; readonly of: number } | undefined {
  if (!isRow(answer)) return undefined;
  const list = Object.values(answer).find((value) => Array.isArray(value)) as unknown[] | undefined;
  const of = matchingOf(answer);
  return list && of !== undefined && of > list.length ? { shown: list.length, of } : undefined;
}

/** How many match in all, on whatever page. */
function matchingOf(answer: Row): number | undefined {
  const of = answer['total_count'] ?? answer['total'];
  return typeof of === 'number' ? of : undefined;
}

/** It is a list and what is said of it: nothing else would be told. */
const isList = (answer: Row): boolean =>
  Object.entries(answer).every(([name, value]) => Array.isArray(value) || beside.has(name) || value === null);
const beside = new Set(['count', 'total', 'total_count', 'enabled', 'filters', 'message', 'success', 'timestamp', 'next']);

function fields(answer: Row, lists: readonly (readonly [string, readonly Row[]])[], options: TableOptions): string {
  const listed = new Set(lists.map(([name]) => name));
  const single = only(answer);
  const simple = Object.entries(single ?? answer).flatMap(([name, value]) => (listed.has(name) ? [] : flat(name, value)));
  const parts = [
    pairs(simple, options),
    ...lists.map(([name, rows]) => `\n${rowsTable(rows, columnsOf[name] ?? plainColumns(rows), options)}`),
  ];
  return parts.join('').replace(/^\n/, '');
}

/** `{template: {…}, timestamp}` is the template. */
function only(answer: Row): Row | undefined {
  const entries = Object.entries(answer).filter(([name]) => name !== 'timestamp');
  const [entry] = entries;
  return entries.length === 1 && entry && isRow(entry[1]) ? entry[1] : undefined;
}

/** `fulfilment.delivered`: what is within stands in lines of its own. What is empty is left out. */
function flat(name: string, value: unknown): [string, string][] {
  if (isRow(value)) return Object.entries(value).flatMap(([key, each]) => flat(`${name}.${key}`, each));
  const text = plainText(value);
  return text === '' ? [] : [[name, text]];
}

function rowsTable(rows: readonly Row[], columns: readonly Column[], options: TableOptions): string {
  const read = (row: Row, column: Column): unknown => (typeof column === 'string' ? row[column] : column.of(row));
  // A column that nobody has anything in says nothing.
  const told = columns.filter((column) => rows.length === 0 || rows.some((row) => plainText(read(row, column)) !== ''));
  return table(
    told.map((column) => (typeof column === 'string' ? column : column.title)),
    rows.map((row) => told.map((column) => plainText(read(row, column)))),
    options,
  );
}

function plainColumns(rows: readonly Row[]): string[] {
  return [
    ...new Set(rows.flatMap((row) => Object.entries(row).flatMap(([name, value]) => (isRow(value) || isTable(value) ? [] : [name])))),
  ];
}
