type Row = Readonly<Record<string, unknown>>;

/** Rows as CSV (RFC 4180): a header, and one line for each row. Nested objects become columns of their own. */
export function csvOf(rows: readonly Row[], columns: readonly string[]): string {
  const flat = rows.map(flattened);
  const names = flat.length === 0 ? columns : [...new Set(flat.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...flat.map((row) => names.map((name) => row[name]))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

const flattened = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null ? Object.entries(value as Row) : [[name, value]],
    ),
  );

/** An absent value is an empty cell. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
