import type { StatementSync } from 'node:sqlite';
import type { RequestRecord } from '../../../core/index.ts';
import type { Statements } from '../queries/statements.ts';

/**
 * Counts the requests that work inserts, by kind and status. The counters are written in the transaction of the group,
 * once for all its work: `begin`, then `came` for each request, then `store`. A trigger would count each insert, and
 * make SQLite copy every page that the insert changes, for the case that the insert fails.
 */
export class Counters {
  readonly #add: StatementSync;
  readonly #came = new Map<string, { readonly kind: string; readonly status: string; n: number }>();

  constructor(statements: Statements) {
    this.#add = statements.prepare(
      "INSERT INTO counter VALUES ('request', ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
    );
  }

  /** A group begins. What was counted for a group that failed is forgotten. */
  begin(): void {
    this.#came.clear();
  }

  /** Called when the work that inserted the request has succeeded. */
  came({ kind, status }: Pick<RequestRecord, 'kind' | 'status'>): void {
    const key = `${kind}/${status}`;
    const counter = this.#came.get(key);
    if (counter) counter.n += 1;
    else this.#came.set(key, { kind, status, n: 1 });
  }

  /** Adds what was counted to the counters. */
  store(): void {
    for (const { kind, status, n } of this.#came.values()) this.#add.run(kind, status, n);
    this.#came.clear();
  }
}
