import {
  quoted,
  shapes,
  storedColumns,
  storedValues,
  type Kind,
  type Shape,
  type StorageSnapshot,
} from '../../../core/index.ts';
import { numberColumns } from '../commits/change-statements.ts';
import type { Row, Statement, Value } from '../connections/statement.ts';
import { bound } from '../queries/dialect.ts';
import { guarded } from './marks.ts';

type Run = (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;
type Cells = readonly (string | number | null)[];

const isNumber = (column: string): boolean =>
  numberColumns.has(column) || ['seq', 'version', 'epoch'].includes(column);

/** Replaces the content of a schema. Runs inside a transaction, which a failure undoes. `s` is a quoted name. */
export async function writeSnapshot(run: Run, s: string, snapshot: StorageSnapshot): Promise<void> {
  // The triggers would note each record for a single commit.
  const counted = ['request', 'machine'];
  await run([
    { text: `TRUNCATE ${guarded.filter((table) => !single.has(table)).map((table) => `${s}.${quoted(table)}`)}` },
    ...counted.map((table) => ({ text: `ALTER TABLE ${s}.${table} DISABLE TRIGGER USER` })),
  ]);
  for (const shape of Object.values(shapes)) await writeRecords(run, s, shape, snapshot);
  await writeEpochs(run, s, snapshot);
  await run([...counting(s), ...numbering(s, snapshot)]);
  await run(counted.map((table) => ({ text: `ALTER TABLE ${s}.${table} ENABLE TRIGGER USER` })));
}

/** Tables with one row. */
const single = new Set(['clock', 'state', 'probe']);

async function writeRecords(run: Run, s: string, shape: Shape, snapshot: StorageSnapshot): Promise<void> {
  const columns = storedColumns(shape);
  const text = `INSERT INTO ${s}.${quoted(shape.kind)} (${columns.map(quoted).join(', ')})
    SELECT * FROM unnest(${columns.map((column, i) => `$${i + 1}::${isNumber(column) ? 'bigint' : 'text'}[]`).join(', ')})`;
  for await (const page of snapshot.records(shape.kind)) {
    const rows = page.map((record) => storedValues(shape, record).map(bound));
    await run([{ text, values: transposed(rows, columns.length) }]);
  }
}

/** Claims and jobs belong to a lease that ended: the next broker takes the claims over. */
async function writeEpochs(run: Run, s: string, snapshot: StorageSnapshot): Promise<void> {
  const [ended = []] = await run([
    {
      text: `INSERT INTO ${s}.broker (broker_id, thread, lease_until, ended_at, stopped, doc)
        SELECT '', 0, t.now, t.now, true, '{}' FROM (SELECT ${s}.now_ms() AS now) AS t RETURNING term`,
    },
  ]);
  const term = ended[0]?.[0] as number;
  const claim = `INSERT INTO ${s}.claim (request_id, epoch, term) SELECT c.id, c.epoch, $3::bigint FROM unnest($1::text[], $2::bigint[]) AS c(id, epoch)`;
  for await (const page of snapshot.epochs('claim'))
    await run([{ text: claim, values: [...transposed(page.map(epochCells), 2), term] }]);
  const job = `INSERT INTO ${s}.job (job, epoch) SELECT * FROM unnest($1::text[], $2::bigint[])`;
  for await (const page of snapshot.epochs('job'))
    await run([{ text: job, values: transposed(page.map(epochCells), 2) }]);
}

const epochCells = ([id, epoch]: readonly [string, number]): Cells => [bound(id), epoch];

const counting = (s: string): readonly Statement[] => [
  {
    text: `INSERT INTO ${s}.counter (of, sort, status, n) SELECT 'request', coalesce(kind, ''), coalesce(status, ''), count(*) FROM ${s}.request GROUP BY 2, 3`,
  },
  {
    text: `INSERT INTO ${s}.counter (of, sort, status, n) SELECT 'machine', '', coalesce(status, ''), count(*) FROM ${s}.machine GROUP BY 3`,
  },
];

const numbering = (s: string, { numbers }: StorageSnapshot): readonly Statement[] => {
  const names = Object.keys(numbers.changes) as Kind[];
  return [
    {
      text: `UPDATE ${s}.state SET seq = $1, ${names.map((kind, i) => `${quoted(kind)} = $${i + 2}`).join(', ')}`,
      values: [numbers.event, ...names.map((kind) => numbers.changes[kind])],
    },
    { text: `UPDATE ${s}.clock SET last = $1`, values: [numbers.last_claim_at] },
  ];
};

/** One array for each column. */
const transposed = (rows: readonly Cells[], columns: number): Value[] =>
  Array.from({ length: columns }, (_, i) => rows.map((row) => row[i] ?? null));
