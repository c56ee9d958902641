import { insertable, quoted, type Shape } from '../../../core/index.ts';
import { numberArray, textArray } from '../database/array-value.ts';
import type { Statement } from '../connections/statement.ts';

const list = (fields: readonly string[]) => fields.map(quoted).join(', ');
const places = (count: number, from = 1) => Array.from({ length: count }, (_, i) => `$${i + from}`).join(', ');
const same = (key: readonly string[], from: number) =>
  key.map((field, i) => `${quoted(field)} = $${from + i}`).join(' AND ');

/** The columns that are numbers; all others are texts. */
export const numberColumns: ReadonlySet<string> = new Set([
  'machine_count',
  'holds',
  'created_at',
  'completed_at',
  'next_at',
  'attempt',
  'active',
  'gone_at',
  'applied',
  'updated_at',
  'until',
  'at',
]);

/** A row of values, in the order of the columns. */
export type Cells = readonly (string | number | null)[];

/** Inserts many rows with one statement, which has one array for each column. */
function insertingMany(table: string, columns: readonly string[]): (rows: readonly Cells[]) => Statement {
  const types = columns.map((column) => (numberColumns.has(column) ? 'bigint' : 'text'));
  const text = `INSERT INTO ${table} (${list(columns)}) SELECT * FROM unnest(${types.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})`;
  return (rows) => ({
    text,
    values: types.map((type, column) => {
      const cells = rows.map((row) => row[column] ?? null);
      return type === 'text' ? textArray(cells) : numberArray(cells);
    }),
  });
}

/** The SQL of the changes to the tables of one kind in a schema. A statement whose change is refused fails. */
export function changeStatements(schema: string, shape: Shape) {
  const table = `${schema}.${quoted(shape.kind)}`;
  /** Fails unless the changing statement found its row. */
  const orRefuse = (change: string, what = `''`, unless = '') =>
    `WITH done AS (${change} RETURNING 1) SELECT ${schema}.refuse(${what}) WHERE NOT EXISTS (SELECT FROM done)${unless}`;

  const inserted = [...insertable(shape), 'doc'];
  const all = [...shape.key, ...shape.columns, 'doc'];
  const changed = [...shape.columns, 'doc'];
  const next = shape.maintained.includes('version') ? [`version = ${quoted(shape.kind)}.version + 1`] : [];
  const put = `INSERT INTO ${table} (${list(all)}) VALUES (${places(all.length)})
    ON CONFLICT (${list(shape.key)}) DO UPDATE SET ${[...changed.map((field) => `${quoted(field)} = excluded.${quoted(field)}`), ...next].join(', ')}`;
  const own = changed.map((field, i) => `${quoted(field)} = $${i + 1}`).join(', ');
  const replace = (guard: string) =>
    orRefuse(
      `UPDATE ${table} SET ${own}, version = version + 1 WHERE ${same(shape.key, changed.length + 1)} AND ${guard} = $${all.length + 1}`,
    );
  const key = same(shape.key, 1);
  return {
    insert: `INSERT INTO ${table} (${list(inserted)}) VALUES (${places(inserted.length)})`,
    insertMany: insertingMany(table, inserted),
    put,
    /** A living machine stays with its request; the refusal names that request. */
    putMachine: orRefuse(
      `${put} WHERE "machine".gone_at IS NOT NULL OR "machine".request_id IS NOT DISTINCT FROM excluded.request_id`,
      `coalesce((SELECT request_id FROM ${table} WHERE ${key}), '')`,
    ),
    /** Values: the columns, the document, the key, and the version or epoch. */
    update: replace('version'),
    putUnderFence: replace('epoch'),
    delete: `DELETE FROM ${table} WHERE ${key}`,
    deleteVersion: orRefuse(
      `DELETE FROM ${table} WHERE ${key} AND version = $${shape.key.length + 1}`,
      `''`,
      ` AND EXISTS (SELECT FROM ${table} WHERE ${key})`,
    ),
  };
}

/** Locks the request until the commit, so that no take-over can come between. Values: the request and its epoch. */
export const fencing = (schema: string): string =>
  `WITH held AS MATERIALIZED (SELECT 1 FROM ${schema}.request WHERE request_id = $1 AND epoch = $2 FOR NO KEY UPDATE)
    SELECT ${schema}.refuse('') WHERE NOT EXISTS (SELECT FROM held)`;

/** Locks the job until the commit, so that no other broker gets it before. Values: the job and its epoch. */
export const fencingJob = (schema: string): string =>
  `WITH held AS MATERIALIZED (SELECT 1 FROM ${schema}.job WHERE job = $1 AND epoch = $2 FOR NO KEY UPDATE)
    SELECT ${schema}.refuse('') WHERE NOT EXISTS (SELECT FROM held)`;

/** Adds amounts to the numbers of a fact. Values: the key, the new document, the names, the amounts, the time. */
export const adding = (
  schema: string,
): string => `INSERT INTO ${schema}.fact (topic, name, item, doc) VALUES ($1, $2, $3, $4)
  ON CONFLICT (topic, name, item) DO UPDATE SET doc = (
    SELECT (d || jsonb_build_object('value', coalesce(d -> 'value', '{}') || sums, 'at', greatest((d ->> 'at')::numeric, $7::numeric)))::text
    FROM (SELECT fact.doc::jsonb AS d) AS present, LATERAL (
      SELECT coalesce(jsonb_object_agg(a.name, coalesce((d -> 'value' ->> a.name)::numeric, 0) + a.amount), '{}') AS sums
      FROM unnest($5::text[], $6::numeric[]) AS a(name, amount)) AS added)`;
