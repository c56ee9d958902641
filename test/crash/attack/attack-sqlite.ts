import { DatabaseSync } from 'node:sqlite';
import type { CommitAttack } from './commit-attack.ts';

/** Tells the attack of each transaction of this thread with SQLite. */
export function attackSqlite(commits: CommitAttack): void {
  /** What happens before a statement of this text runs, and after it did. */
  function around(sql: string): { readonly before: () => void; readonly after?: () => void } | undefined {
    if (sql.startsWith('BEGIN')) return { before: () => commits.began() };
    if (/^(INSERT INTO|UPDATE) "?machine"?\s/.test(sql)) return { before: () => commits.wrote(1) };
    return sql === 'COMMIT' ? commits : undefined;
  }
  const prepare = DatabaseSync.prototype.prepare;
  DatabaseSync.prototype.prepare = function attacked(sql: string, ...rest) {
    const statement = prepare.call(this, sql, ...rest);
    const attack = around(sql);
    if (attack === undefined) return statement;
    const { run } = statement;
    statement.run = (...values: unknown[]) => {
      attack.before();
      const result = Reflect.apply(run, statement, values);
      attack.after?.();
      return result;
    };
    return statement;
  };
}
