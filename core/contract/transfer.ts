import type { Kind } from '../model/kinds.ts';
import type { BrokerState } from '../model/broker.ts';
import type { StorageCheck } from './upkeep.ts';

/** A record as it is stored: its JSON text, and the values of the maintained columns of its kind, in their order. */
export type StoredRecord = readonly [doc: string, ...maintained: number[]];

/** A claim that its holder did not yield, or a job: its id, and its epoch. Their leases are not copied. */
export type StoredEpoch = readonly [id: string, epoch: number];

/** What a storage counts beside its records. */
export interface StorageNumbers {
  /** The number of the last event that was ever written. */
  readonly event: number;
  /** How often records of each kind were changed. */
  readonly changes: Readonly<Record<Kind, number>>;
  /** The time of the last claim, by the clock of the storage. */
  readonly last_claim_at: number | null;
}

/** Everything that is stored at one moment. Pages are bounded in bytes, and records are ordered by key. */
export interface StorageSnapshot extends AsyncDisposable {
  readonly numbers: StorageNumbers;
  records(kind: Kind): AsyncIterable<readonly StoredRecord[]>;
  /** Claims that were not yielded, then jobs. */
  epochs(of: 'claim' | 'job'): AsyncIterable<readonly StoredEpoch[]>;
}

/** The part of a storage in a copy. */
export interface TransferMark {
  /** Equal for both storages of one copy. */
  readonly copy_id: string;
  /** The other storage. Contains no secret. */
  readonly place: string;
  /** When the mark got its present state. */
  readonly at: number;
  readonly done: boolean;
}

/**
 * What a storage says about copies. Brokers are refused, and every write fails, while there is `to`, or a `from` that
 * is not done.
 */
export interface TransferState {
  /** False when there are no tables of muster. */
  readonly exists: boolean;
  /** The number of records of all kinds. */
  readonly records: number;
  /** It is being copied there, or was. */
  readonly to?: TransferMark;
  /** It was copied from there, or is being. */
  readonly from?: TransferMark;
  readonly brokers: readonly BrokerState[];
}

/** One storage as the source or the target of a copy. Every method may be repeated after a failure. */
export interface TransferEnd extends AsyncDisposable {
  /** Where the storage is. Contains no secret. */
  readonly place: string;
  state(): Promise<TransferState>;
  /**
   * Why the content cannot be read, when it is damaged or has tables of another version, and `receive` may replace it
   * all the same; undefined when `state` answers. Absent: `receive` replaces only what `state` can read.
   */
  unreadable?(): Promise<string | undefined>;
  /** Everything that is stored at this moment. Brokers may write meanwhile; it does not include that. */
  snapshot(): Promise<StorageSnapshot>;
  /**
   * Stores that a copy to `place` begins. After it returns, every write fails, also of processes that have the storage
   * open; and everything that was written before is in the next snapshot.
   */
  fence(mark: Pick<TransferMark, 'copy_id' | 'place'>): Promise<void>;
  /**
   * Removes the mark of a copy to another place: brokers may use the storage again. With `copy_id`: only while it is
   * the mark of that copy, and not done.
   */
  unfence(copy_id?: string): Promise<void>;
  /** Stores that the copy is complete. Rejects with CONFLICT unless the storage is fenced for this copy. */
  moved(copy_id: string): Promise<void>;
  /**
   * Writes a snapshot with everything that belongs to it, all or nothing, and checks it. With a mark, brokers are
   * refused until `complete`. The present content is replaced only with `replace`, else CONFLICT; also CONFLICT when a
   * broker is live here. A result that is not valid is never used by brokers. With `replace`, a storage may also
   * replace what it cannot read: damaged content, or tables of another version.
   */
  receive(
    snapshot: StorageSnapshot,
    mark: Pick<TransferMark, 'copy_id' | 'place'> | undefined,
    replace: boolean,
  ): Promise<StorageCheck>;
  /** Lets brokers use what was received. Rejects with CONFLICT when this copy is not here. */
  complete(copy_id: string): Promise<void>;
}
