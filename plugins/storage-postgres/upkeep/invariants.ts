import { sums } from '../migrations/0003-budgets.ts';
import { summed } from '../migrations/0004-equal-reservations.ts';
import { tagsOfPart } from '../migrations/0005-tags-by-place.ts';
import { quoted, shapes, type Kind, type Shape } from '../../../core/index.ts';

/** A condition that all records meet. `sql` returns, in one column, a pointer to each record that violates it. */
export interface Invariant {
  readonly level: 'error' | 'warning';
  readonly broken: string;
  readonly sql: string;
}

/** The least retention of the journal; see `core/reconciler/background/retention/event-retention.ts`. */
const journalMs = 30 * 86_400_000;

const attempt = "'/attempt/' || t.request_id || '/' || t.attempt";
const machine = "'/machine/' || t.provider_instance || '/' || t.machine_id";
const signal = "'/signal/' || t.signal_id";

/** Tells whether a text is a JSON object, where the server has no `IS JSON`: before version 16. */
export const createIsObject = `CREATE FUNCTION pg_temp.is_object(given text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  RETURN json_typeof(given::json) = 'object';
EXCEPTION WHEN data_exception THEN RETURN false; END $$`;

/** The conditions on the tables of a schema. `isObject`: the condition that `doc` is a JSON object. */
export function invariants(schema: string, isObject: string): readonly Invariant[] {
  const orphans = (kind: Kind, pointer: string, reference = 'request_id'): string =>
    `SELECT ${pointer} FROM ${schema}.${quoted(kind)} AS t WHERE t.${reference} IS NOT NULL
      AND NOT EXISTS (SELECT FROM ${schema}.request AS r WHERE r.request_id = t.${reference})`;
  return [
    ...Object.values(shapes).map(
      (shape): Invariant => ({
        level: 'error',
        broken: 'cannot be parsed, or differs from its columns',
        sql: differing(schema, shape, isObject),
      }),
    ),
    { level: 'error', broken: 'belongs to a request that does not exist', sql: orphans('attempt', attempt) },
    {
      level: 'error',
      broken: 'belongs to a request that does not exist, so that it is never released',
      sql: orphans('machine', machine),
    },
    {
      level: 'error',
      broken: 'belongs to an attempt that does not exist',
      sql: `SELECT ${machine} FROM ${schema}.machine AS t WHERE NOT EXISTS (
        SELECT FROM ${schema}.attempt AS a WHERE a.request_id = t.request_id AND a.attempt = t.attempt)`,
    },
    { level: 'error', broken: 'is meant for a request that does not exist', sql: orphans('signal', signal) },
    {
      level: 'error',
      broken: 'belongs to a return that does not exist',
      sql: orphans('signal', signal, 'return_id'),
    },
    {
      level: 'warning',
      broken: 'live under one id: two machines, or one that two instances of the same cloud recorded',
      sql: `SELECT '/machine/' || string_agg(provider_instance || '/' || machine_id, ' and /machine/' ORDER BY provider_instance)
        FROM ${schema}.machine AS t WHERE t.gone_at IS NULL GROUP BY t.machine_id HAVING count(*) > 1`,
    },
    {
      level: 'error',
      broken: 'was ordered under the same token as another',
      sql: `SELECT ${attempt} FROM ${schema}.attempt AS t JOIN (
        SELECT token FROM ${schema}.attempt WHERE token IS NOT NULL GROUP BY token HAVING count(*) > 1) AS twice USING (token)`,
    },
    {
      level: 'error',
      broken: 'lives, although its request has ended for the loop, so that it is not observed',
      sql: `SELECT ${machine} FROM ${schema}.machine AS t JOIN ${schema}.request AS r ON r.request_id = t.request_id
        WHERE t.gone_at IS NULL AND r.next_at IS NULL AND r.status IN ('completed', 'failed', 'cancelled')`,
    },
    {
      level: 'warning',
      broken: 'has not ended, and no work is scheduled for it',
      sql: `SELECT '/request/' || r.request_id FROM ${schema}.request AS r
        WHERE r.status IN ('pending', 'in_progress') AND r.next_at IS NULL
        AND NOT EXISTS (SELECT FROM ${schema}.signal AS w WHERE w.request_id = r.request_id AND w.applied = 0)
        AND NOT EXISTS (SELECT FROM ${schema}.claim AS c WHERE c.request_id = r.request_id)`,
    },
    {
      level: 'error',
      broken: 'is claimed under an epoch that it never had',
      sql: `SELECT '/request/' || r.request_id FROM ${schema}.claim AS c JOIN ${schema}.request AS r USING (request_id)
        WHERE c.epoch > r.epoch`,
    },
    {
      level: 'error',
      broken: 'is held under a lease that does not exist, so that no other broker takes it over',
      sql: `SELECT '/request/' || c.request_id FROM ${schema}.claim AS c
        WHERE NOT EXISTS (SELECT FROM ${schema}.broker AS b WHERE b.term = c.term)`,
    },
    miscounted(schema, 'request', "coalesce(kind, '')"),
    miscounted(schema, 'machine', "''"),
    {
      level: 'error',
      broken: 'differs from what the requests reserve',
      sql: `SELECT '/budget/' || k.scope FROM ${schema}.budget AS k
        LEFT JOIN (${summed(schema, `(SELECT template_id, reserves, 1 AS n FROM ${schema}.request)`, tagsOfPart)}) AS d USING (scope)
        WHERE ${sums.map((name) => `k.${name} <> coalesce(d.${name}, 0)`).join(' OR ')}`,
    },
    {
      level: 'error',
      broken: 'has the number of an entry of the journal that is still to come',
      sql: `SELECT '/event/' || seq FROM ${schema}.event WHERE seq > (SELECT seq FROM ${schema}.state)`,
    },
    {
      level: 'warning',
      broken: 'is missing, although the journal keeps entries of this age',
      sql: `SELECT '/event/' || (before + 1) || CASE WHEN seq > before + 2 THEN ' to /event/' || (seq - 1) ELSE '' END FROM (
          SELECT seq, lag(seq) OVER (ORDER BY seq) AS before, lag(at) OVER (ORDER BY seq) AS since FROM ${schema}.event) AS e
        WHERE seq > before + 1 AND since > (SELECT max(at) FROM ${schema}.event) - ${journalMs}`,
    },
    {
      level: 'error',
      broken: 'is an index that is incomplete: REINDEX it',
      sql: `SELECT '/index/' || i.indexrelid::regclass FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
        WHERE c.relnamespace = '${schema}'::regnamespace AND NOT (i.indisvalid AND i.indisready)`,
    },
    {
      level: 'error',
      broken: 'has not its triggers, so that its records are not counted',
      sql: `SELECT '/' || t FROM (VALUES ('request', 6), ('machine', 3)) AS v(t, n) WHERE n > (
        SELECT count(*) FROM pg_trigger AS g WHERE g.tgrelid = ('${schema}.' || quote_ident(t))::regclass
        AND g.tgname IN ('came', 'went', 'turned', 'reserved', 'reserves', 'freed') AND g.tgenabled <> 'D')`,
    },
    {
      level: 'error',
      broken: 'must have exactly one row',
      sql: ['state', 'clock', 'probe']
        .map((table) => `SELECT '/${table}' WHERE (SELECT count(*) FROM ${schema}.${table}) <> 1`)
        .join(' UNION ALL '),
    },
  ];
}

/** Records whose document is not JSON, or differs from their columns. */
function differing(schema: string, shape: Shape, isObject: string): string {
  const maintained = new Set<string>([...shape.maintained, ...(shape.kind === 'request' ? ['next_at'] : [])]);
  const fields = [...shape.key, ...shape.columns].filter((field) => !maintained.has(field));
  const pointer = shape.key.map((field) => `'/' || ${quoted(field)}`).join(' || ');
  // A column has no NUL and no booleans; the document has both.
  const value = (field: string) =>
    `replace(CASE doc::json ->> '${field}' WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE doc::json ->> '${field}' END, '\\u0000', '')`;
  const other = fields.map((field) => `${value(field)} IS DISTINCT FROM ${quoted(field)}::text`).join(' OR ');
  return `SELECT '/${shape.kind}' || ${pointer} FROM ${schema}.${quoted(shape.kind)}
    WHERE CASE WHEN doc LIKE '%\\\\u0000%' THEN false WHEN ${isObject} THEN ${other} ELSE true END`;
}

/** Counters that differ from the number of records. */
function miscounted(schema: string, kind: 'request' | 'machine', sort: string): Invariant {
  return {
    level: 'error',
    broken: 'differs from the number of records',
    sql: `SELECT '/counter/${kind}/' || sort || '/' || status FROM (
        SELECT ${sort} AS sort, status, count(*) AS n FROM ${schema}.${kind} GROUP BY 1, 2
        UNION ALL SELECT sort, status, -n FROM ${schema}.counter WHERE of = '${kind}') AS both_sides
      GROUP BY sort, status HAVING sum(n) <> 0`,
  };
}
