import pg from 'pg';
import type { CommitAttack } from './commit-attack.ts';

type Query = (
  config: { readonly text: string; readonly values?: readonly unknown[] } | string,
  answer?: (error: unknown, result?: unknown) => void,
) => unknown;

/** Tells the attack of each transaction of this thread with PostgreSQL. */
export function attackPostgres(commits: CommitAttack): void {
  const query = pg.Client.prototype.query as Query;
  const attacked: Query = function attacked(this: pg.Client, config, answer) {
    const { text, values = [] } = typeof config === 'string' ? { text: config } : config;
    if (text === 'BEGIN') commits.began();
    // A merged statement has an array of values for each column.
    if (/^\s*(INSERT INTO|UPDATE) \S*\bmachine"?\s/.test(text))
      commits.wrote(Array.isArray(values[0]) ? values[0].length : 1);
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
