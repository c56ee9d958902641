/** One value of a table. What is not known is an empty field. */
export type Cell = string | number | null | undefined;

/** The columns of a table, from left to right: the name of each, and what a row has in it. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/** A table in the form of RFC 4180: the first record names the columns, and every record ends in CRLF, the last one too. */
export function csv<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  return header(columns) + rows.map((row) => record(columns, row)).join('');
}

export const header = (columns: Columns<never>): string => line(Object.keys(columns));

export const record = <Row>(columns: Columns<Row>, row: Row): string =>
  line(Object.values(columns).map((cell) => cell(row)));

const line = (cells: readonly Cell[]): string => `${cells.map(field).join(',')}\r\n`;

/**
 * Quoted where a comma, a quote or a line break would be taken for the end of the field; a quote within is doubled.
 */
function field(cell: Cell): string {
  const text = String(cell ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
