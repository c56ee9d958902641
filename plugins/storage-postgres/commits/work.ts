import type { BrokerError, Kind } from '../../../core/index.ts';
import type { Statement } from '../connections/statement.ts';

/** One statement of a commit. */
export interface Step extends Statement {
  /** The refusal when the statement failed because its change is refused; `repeat` when that was a race. */
  readonly refused?: (what: string) => BrokerError | 'repeat';
  /** The record that it changes, if it names one. */
  readonly touches?: string;
  /**
   * It only checks the changes before it, as they are at the end of the transaction. Steps with equal texts here check
   * the same.
   */
  readonly condition?: string;
  /** The kind of the record that it inserts; its values are those of the columns. */
  readonly inserts?: Kind;
}

/** The columns of an event but its number, and its document. */
export type EventRow = readonly (string | number | null)[];

/** A commit as statements. They run again when their group is repeated. */
export interface Work {
  readonly steps: readonly Step[];
  /** The rows of `event` that it inserts, after all steps of the group. */
  readonly events: readonly EventRow[];
  /** The numbers of the locks that its counts need. */
  readonly locks: readonly string[];
  /** Kinds of records that the work changes. */
  readonly kinds: Iterable<Kind>;
  /** The approximate number of rows that the work writes. */
  readonly size: number;
}
