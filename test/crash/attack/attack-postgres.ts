import pg from 'pg';
import { Connection } from '../../../plugins/storage-postgres/connections/connection.ts';
import type { CommitAttack } from './commit-attack.ts';

type Query = (
  config: { readonly text: string; readonly values?: readonly unknown[] } | string,
  answer?: (error: unknown, result?: unknown) => void,
) => unknown;

/** Tells the attack of each transaction of this thread with PostgreSQL. */
export function attackPostgres(commits: CommitAttack): void {
  attackTogether(commits);
  const query = pg.Client.prototype.query as Query;
  const attacked: Query = function attacked(this: pg.Client, config, answer) {
    const { text, values = [] } = typeof config === 'string' ? { text: config } : config;
    // Those of a transaction that is sent in one go are told already.
    if (config instanceof pg.Query) return Reflect.apply(query, this, [config, answer]);
    tellOf(commits, text, values);
    if (text !== 'COMMIT') return Reflect.apply(query, this, [config, answer]);
    commits.before();
    const answered: typeof answer = (error, result) => {
      if (!error) commits.after();
      answer?.(error, result);
    };
    const sent = Reflect.apply(query, this, [config, answered]);
    setImmediate(() => commits.sent());
    return sent;
  };
  pg.Client.prototype.query = attacked as never;
}

/** The transactions whose statements are sent in one go. */
function attackTogether(commits: CommitAttack): void {
  const { transact } = Connection.prototype;
  Connection.prototype.transact = async function attacked(statements) {
    for (const { text, values = [] } of statements) tellOf(commits, text, values);
    commits.before();
    const results = transact.call(this, statements);
    setImmediate(() => commits.sent());
    const answered = await results;
    commits.after();
    return answered;
  };
}

function tellOf(commits: CommitAttack, text: string, values: readonly unknown[]): void {
  if (/^BEGIN\b/.test(text)) commits.began();
  if (!/^\s*(WITH done AS \()?(INSERT INTO|UPDATE) \S*\bmachine"?\s/.test(text)) return;
  // A merged statement has an array of values for each column.
  commits.wrote(Math.max(1, ...values.map(lengthOf)));
}

/** The length of an array value, in one of its forms. */
function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  // The binary form has the length after the number of dimensions, the mark of NULLs and the type.
  if (Buffer.isBuffer(value)) return value.length >= 16 ? value.readInt32BE(12) : 0;
  return 1;
}
