type Row = Readonly<Record<string, unknown>>;

/**
 * Rows as CSV (RFC 4180): a header, also without rows, and one line for each row. The fields of nested objects are
 * columns of their own.
 */
export function csvOf(rows: readonly Row[], columns: readonly string[]): string {
  const lines = [columns, ...rows.map(flattened).map((row) => columns.map((name) => row[name]))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

const flattened = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null ? Object.entries(value as Row) : [[name, value]],
    ),
  );

/**
 * An absent value is an empty cell. A text that a spreadsheet would run as a formula gets an apostrophe, with which
 * spreadsheets mark texts: names come from providers and callers.
 */
function cell(value: unknown): string {
  const plain = value === null || value === undefined ? '' : String(value);
  const text = typeof value === 'string' && /^[=+\-@\t\r\n]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
