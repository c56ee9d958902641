import type { StatementSync } from 'node:sqlite';
import { BrokerError } from '../../../core/index.ts';
import { newest } from '../migrations/index.ts';
import type { Statements } from '../queries/statements.ts';
import { unavailable } from './failures.ts';

/**
 * Whether a newer muster has updated the tables since this one opened them. Then this one must not write any more: it
 * would leave out what the newer tables need, for example sums that a trigger kept before.
 */
export class NewerTables {
  readonly #path: string;
  readonly #version: StatementSync;

  constructor(statements: Statements, path: string) {
    this.#path = path;
    this.#version = statements.prepare('PRAGMA user_version');
  }

  /** Returns the refusal of all writes. Called inside each transaction that writes: no update can follow in it. */
  refusal(): BrokerError | undefined {
    try {
      const [version] = this.#version.get() as unknown as readonly [number];
      if (version <= newest) return undefined;
      return new BrokerError(
        'UNAVAILABLE',
        `The database ${this.#path} was updated by a newer muster: its tables have version ${version}, this muster knows versions up to ${newest}. It has stopped writing. Stop it, and start the newer muster in its place.`,
        { schema_version: version },
      );
    } catch (error) {
      return unavailable(this.#path, error);
    }
  }
}
