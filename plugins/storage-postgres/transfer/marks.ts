import { BrokerError, kinds, quoted, type TransferMark, type TransferState } from '../../../core/index.ts';
import type { Row, Statement } from '../connections/statement.ts';
import { states } from '../database/failures.ts';

type Given = Pick<TransferMark, 'copy_id' | 'place'>;
type Run = (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;
type Marks = Pick<TransferState, 'from' | 'to'>;

/** The tables that brokers write. */
export const guarded = [...Object.keys(kinds), 'claim', 'broker', 'job', 'clock', 'state', 'counter', 'probe'];

/** The marks of copies. The table exists since the first copy. `schema` is the plain name. */
export async function marksOf(run: Run, schema: string): Promise<Marks> {
  const name = quoted(schema);
  const [[found] = []] = await run([{ text: 'SELECT to_regclass($1)::text', values: [`${name}.transfer`] }]);
  if (typeof found?.[0] !== 'string') return {};
  const [rows = []] = await run([{ text: `SELECT side, copy_id, place, at, done FROM ${name}.transfer` }]);
  return Object.fromEntries(
    rows.map(([side, copy_id, place, at, done]) => [side, { copy_id, place, at, done }]),
  ) as Marks;
}

/** Stores a mark that is not done, and makes every write fail. Runs inside a transaction. `s` is a quoted name. */
export function marking(s: string, side: 'from' | 'to', { copy_id, place }: Given): readonly Statement[] {
  return [
    {
      text: `CREATE TABLE IF NOT EXISTS ${s}.transfer (
        side text PRIMARY KEY, copy_id text NOT NULL, place text NOT NULL, at bigint NOT NULL, done boolean NOT NULL)`,
    },
    {
      text: `INSERT INTO ${s}.transfer (side, copy_id, place, at, done) VALUES ($1, $2, $3, ${s}.now_ms(), false)
        ON CONFLICT (side) DO UPDATE SET copy_id = excluded.copy_id, place = excluded.place, at = excluded.at, done = false`,
      values: [side, copy_id, place],
    },
    {
      text: `CREATE OR REPLACE FUNCTION ${s}.refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE found record; BEGIN
        SELECT side, place INTO found FROM ${s}.transfer WHERE side = 'to' OR NOT done ORDER BY side DESC;
        IF found.side = 'to' THEN RAISE EXCEPTION 'it is being copied to %, or was: brokers no longer use it', found.place USING ERRCODE = '${states.fenced}'; END IF;
        RAISE EXCEPTION 'it is an incomplete copy of %', found.place USING ERRCODE = '${states.fenced}';
      END $$`,
    },
    ...unblocking(s),
    ...guarded.map((table) => ({
      text: `CREATE TRIGGER transferred BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${s}.${quoted(table)}
        FOR EACH STATEMENT EXECUTE FUNCTION ${s}.refuse_write()`,
    })),
  ];
}

/** Lets writes succeed. It waits for running transactions, and none begins before the marks agree. */
export const unblocking = (s: string): readonly Statement[] =>
  guarded.map((table) => ({ text: `DROP TRIGGER IF EXISTS transferred ON ${s}.${quoted(table)}` }));

/** Stores that the copy is done. Rejects with CONFLICT when the mark is of another copy. */
export async function markDone(run: Run, schema: string, side: 'from' | 'to', copy_id: string): Promise<void> {
  const s = quoted(schema);
  const marks = await marksOf(run, schema);
  if (marks[side]?.copy_id !== copy_id)
    throw new BrokerError('CONFLICT', 'Another copy began meanwhile. Repeat `muster storage copy`.');
  await run([
    {
      text: `UPDATE ${s}.transfer SET done = true, at = ${s}.now_ms() WHERE side = $1 AND NOT done`,
      values: [side],
    },
    ...(side === 'from' && !marks.to ? unblocking(s) : []),
  ]);
}

/** Removes the mark of a copy to another place, or only that of one copy while it is not done. */
export async function unmark(run: Run, schema: string, copy_id?: string): Promise<void> {
  const s = quoted(schema);
  const { from, to } = await marksOf(run, schema);
  if (!to || (copy_id !== undefined && (to.done || to.copy_id !== copy_id))) return;
  await run([{ text: `DELETE FROM ${s}.transfer WHERE side = 'to'` }, ...(from?.done === false ? [] : unblocking(s))]);
}
