import { quoted, shapes, type Kind, type Shape } from '../../../core/index.ts';

/** A condition that all records meet. `sql` returns, in one column, a pointer to each record that violates it. */
export interface Invariant {
  readonly level: 'error' | 'warning';
  readonly broken: string;
  readonly sql: string;
}

const endedStatuses = "('completed', 'failed', 'cancelled')";
/** The least retention of the journal; see `core/reconciler/background/retention/event-retention.ts`. */
const journalMs = 30 * 86_400_000;

const orphans = (kind: Kind, pointer: string, reference = 'request_id'): string =>
  `SELECT ${pointer} FROM ${quoted(kind)} t
   WHERE t.${reference} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM request r WHERE r.request_id = t.${reference})`;

const attempt = "'/attempt/' || t.request_id || '/' || t.attempt";
const machine = "'/machine/' || t.provider_instance || '/' || t.machine_id";

export const invariants: readonly Invariant[] = [
  ...Object.values(shapes).map(
    (shape): Invariant => ({
      level: 'error',
      broken: 'cannot be parsed, or differs from its columns',
      sql: differing(shape),
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
    sql: `SELECT ${machine} FROM machine t WHERE NOT EXISTS (SELECT 1 FROM attempt a WHERE a.request_id = t.request_id AND a.attempt = t.attempt)`,
  },
  {
    level: 'error',
    broken: 'is meant for a request that does not exist',
    sql: orphans('signal', "'/signal/' || t.signal_id"),
  },
  {
    level: 'error',
    broken: 'belongs to a return that does not exist',
    sql: orphans('signal', "'/signal/' || t.signal_id", 'return_id'),
  },
  {
    level: 'warning',
    broken: 'live under one id: two machines, or one that two instances of the same cloud recorded',
    sql: `SELECT '/machine/' || group_concat(provider_instance || '/' || machine_id, ' and /machine/') FROM machine t
      WHERE t.gone_at IS NULL GROUP BY t.machine_id HAVING count(*) > 1`,
  },
  {
    level: 'error',
    broken: 'was ordered under the same token as another',
    sql: `SELECT ${attempt} FROM attempt t JOIN (SELECT token FROM attempt WHERE token IS NOT NULL GROUP BY token HAVING count(*) > 1) USING (token)`,
  },
  {
    level: 'error',
    broken: 'lives, although its request has ended for the loop, so that it is not observed',
    sql: `SELECT ${machine} FROM machine t JOIN request r ON r.request_id = t.request_id
      WHERE t.gone_at IS NULL AND r.next_at IS NULL AND r.status IN ${endedStatuses}`,
  },
  {
    level: 'warning',
    broken: 'has not ended, and no work is scheduled for it',
    sql: `SELECT '/request/' || r.request_id FROM request r WHERE r.status IN ('pending', 'in_progress') AND r.next_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM signal w WHERE w.request_id = r.request_id AND w.applied = 0)
      AND NOT EXISTS (SELECT 1 FROM claim c WHERE c.request_id = r.request_id)`,
  },
  {
    level: 'error',
    broken: 'is claimed under an epoch that it never had',
    sql: "SELECT '/request/' || r.request_id FROM claim c JOIN request r USING (request_id) WHERE c.epoch > r.epoch",
  },
  miscounted('request', 'kind'),
  miscounted('machine', "''"),
  {
    level: 'error',
    broken: 'would get the number of an entry of the journal that exists',
    sql: "SELECT '/event' FROM sqlite_sequence WHERE name = 'event' AND seq < (SELECT max(seq) FROM event)",
  },
  {
    level: 'warning',
    broken: 'is missing, although the journal keeps entries of this age',
    sql: `SELECT '/event/' || (before + 1) || CASE WHEN seq > before + 2 THEN ' to /event/' || (seq - 1) ELSE '' END FROM (
        SELECT seq, lag(seq) OVER (ORDER BY seq) AS before, lag(at) OVER (ORDER BY seq) AS since FROM event)
      WHERE seq > before + 1 AND since > (SELECT max(at) FROM event) - ${journalMs}`,
  },
];

/** Records whose document is not JSON, or differs from their columns. */
function differing(shape: Shape): string {
  const fields = [
    ...shape.key.filter((field) => !(shape.maintained as readonly string[]).includes(field)),
    ...shape.columns,
  ];
  const pointer = shape.key.map((field) => `'/' || ${quoted(field)}`).join(' || ');
  const other = fields.map((field) => `json_extract(doc, '$."${field}"') IS NOT ${quoted(field)}`).join(' OR ');
  return `SELECT '/${shape.kind}' || ${pointer} FROM ${quoted(shape.kind)} WHERE CASE WHEN json_valid(doc) THEN ${other} ELSE 1 END`;
}

/** Counters that differ from the number of records. */
function miscounted(kind: 'request' | 'machine', sort: string): Invariant {
  const present = `SELECT '${kind}' AS of, ${sort} AS sort, status, count(*) AS n FROM ${kind} GROUP BY 2, 3`;
  return {
    level: 'error',
    broken: 'differs from the number of records',
    sql: `SELECT '/counter/${kind}/' || sort || '/' || status FROM (
        SELECT sort, status, n FROM (${present}) UNION ALL SELECT sort, status, -n FROM counter WHERE of = '${kind}')
      GROUP BY sort, status HAVING sum(n) <> 0`,
  };
}
