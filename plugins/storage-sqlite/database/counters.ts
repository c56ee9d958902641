import type { StatementSync } from 'node:sqlite';
import type { RequestRecord } from '../../../core/index.ts';
import type { Statements } from '../queries/statements.ts';
import { misuse } from './failures.ts';

/** A counter of requests: the kind and the status, as a JSON list. */
export type CounterName = string;

/**
 * The counter of a request that is about to be inserted, taken with the values of its row. Throws INTERNAL when it has
 * no kind or status.
 */
export function counterOf({ request_id, kind, status }: RequestRecord): CounterName {
  if (typeof kind !== 'string' || typeof status !== 'string')
    throw misuse(`Request ${request_id} is inserted without a kind or status.`);
  return JSON.stringify([kind, status]);
}

/**
 * Counts the requests that work inserts. The counters are written in the transaction of the group, once for all its
 * work: `begin`, then `came` for each request, then `store`. A trigger would count each insert, and make SQLite copy
 * every page that the insert changes, for the case that the insert fails.
 */
export class Counters {
  readonly #add: StatementSync;
  readonly #came = new Map<CounterName, number>();

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
  came(counter: CounterName): void {
    this.#came.set(counter, (this.#came.get(counter) ?? 0) + 1);
  }

  /** Adds what was counted to the counters. */
  store(): void {
    for (const [counter, n] of this.#came) {
      const [kind, status] = JSON.parse(counter) as [string, string];
      this.#add.run(kind, status, n);
    }
    this.#came.clear();
  }
}
