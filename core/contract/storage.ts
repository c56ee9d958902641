import type { ObjectSchema, ValueOf } from '../schema/object-schema.ts';
import type { Finding } from './findings.ts';
import type { Column, Kind, KeyOf, Records } from '../model/kinds.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/**
 * A value that a column is compared with; a list means any of them, `null` that the field is absent. `before` and `after` exclude their
 * bound and never match an absent field.
 */
export type Match =
  | string
  | number
  | boolean
  | null
  | readonly (string | number | null)[]
  | { readonly before?: number; readonly after?: number };

/** A bounded question about one kind. Everything given must hold. */
export interface Query<K extends Kind> {
  readonly where?: { readonly [C in Column<K>]?: Match };
  /**
   * Default: by key, ascending. Ties are broken by key in the direction of the last column, so that paging never skips or repeats and one
   * index serves both. Absent values come first ascending.
   */
  readonly order?: readonly (readonly [Column<K>, 'asc' | 'desc'])[];
  /** Default: no bound. */
  readonly limit?: number;
  readonly offset?: number;
}

/** Part of a list, and how many there are in all. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/**
 * One part of a commit.
 * - `insert`: the key must be free, else ALREADY_EXISTS. An `event` gets its `seq` from the store; `version` begins at 1, `epoch` at 0.
 * - `put`: inserts or replaces; never an `event`. A `request` may be put only in a commit that carries its `fence`; its `version` rises by one and its
 *   `epoch` stays, whatever the record says. A `machine` that lives and belongs to another request is never replaced: CONFLICT, naming both requests.
 * - `update`: replaces a record whose `version` is still the one that was read, else CONFLICT; the version rises by one.
 * - `delete`: removes, with `version` only while it is still that one; an absent record is no error.
 * - `fence`: the commit holds only while this epoch of the request is the present one, else CONFLICT.
 * - `limit`: refuses with INSTANCE_LIMIT_EXCEEDED when the `holds` of all requests of the template and `machine_count` exceed `max`.
 *   Counted in the same transaction, before the commit's own changes.
 * - `slot`: refuses with INSTANCE_BUSY unless the instance has a slot for the request; goes with the attempt that it opens there. Of the `max` slots each
 *   other request takes one that has an attempt there with `active` set, and one is kept for each request that `waits_for` the instance, has not ended and was
 *   accepted earlier (by `created_at`, then `request_id`). A request with an active attempt there is in and needs no further slot. Counted in the same
 *   transaction, before the commit's own changes and after its fences; `details` say how many requests are `open`, of `max`. So waiters are served in
 *   the order of acceptance: each waits for active attempts and for older waiters alone. The oldest waits for attempts alone, and an attempt must end
 *   by its provider or its time, never by a slot: nobody waits in a circle. Who was refused stores `waits_for`; the commit that opens his attempt, ends or
 *   cancels the request, or turns to another instance takes it away again. A waiter must stay due: what is never looked at again keeps its slot.
 * - `add`: adds to numbers in the `value` of a fact, in the store: what others add at the same time is kept. What is absent begins at 0; `at` becomes
 *   the later of both. Names are letters, digits and `_`.
 */
export type Change =
  | { [K in Kind]: { readonly op: 'insert' | 'put'; readonly kind: K; readonly record: Records[K] } }[Kind]
  | { [K in 'request' | 'template']: { readonly op: 'update'; readonly kind: K; readonly record: Records[K]; readonly version: number } }[
      | 'request'
      | 'template']
  | { [K in Kind]: { readonly op: 'delete'; readonly kind: K; readonly key: KeyOf<K>; readonly version?: number } }[Kind]
  | { readonly op: 'fence'; readonly request_id: string; readonly epoch: number }
  | { readonly op: 'limit'; readonly template_id: string; readonly machine_count: number; readonly max: number }
  | { readonly op: 'slot'; readonly provider_instance: string; readonly request_id: string; readonly max: number }
  | {
      readonly op: 'add';
      readonly kind: 'fact';
      readonly key: KeyOf<'fact'>;
      readonly amounts: Readonly<Record<string, number>>;
      readonly at: number;
    };

/** A process that holds claims. Two owners are the same only when all fields are. */
export interface Owner {
  readonly host: string;
  /** Changes with every boot of the host. */
  readonly boot: string;
  readonly pid: number;
  /** When the process started: a pid is used again. */
  readonly started: number;
  /** Rises when a process replaces its loop thread. An owner of the same process with a lower number is dead. */
  readonly thread: number;
}

/** The right to change a request, until the lease ends or the epoch rises. */
export interface Claim {
  readonly request_id: string;
  readonly epoch: number;
  /** The last holder did not yield: something that it sent may still be on the wire. */
  readonly taken_over: boolean;
}

/** What the broker knows. Durable, transactional, shared by processes where the storage can. Every method rejects with UNAVAILABLE when the storage cannot serve. */
export interface Store {
  get<K extends Kind>(kind: K, key: KeyOf<K>): Promise<Records[K] | undefined>;
  find<K extends Kind>(kind: K, query: Query<K>): Promise<readonly Records[K][]>;
  /** How many records match; counts by `status` of requests and machines are kept, not computed. */
  count<K extends Kind>(kind: K, where: NonNullable<Query<K>['where']>): Promise<number>;
  /** A number that rises with every commit, by whomever, that changed records of this kind: equal numbers mean that nothing changed. Cheap. */
  changes(kind: Kind): Promise<number>;
  /** Ids and versions of requests, in order: what is enough to answer from rendered copies. */
  versions(query: Query<'request'>): Promise<readonly { readonly request_id: string; readonly version: number }[]>;
  /**
   * Bytes of requests as they are stored, where they are there: a reader of many goes by them, so that it does not read hundreds of megabytes at once. Cheaper than to
   * read them. Absent: records are in memory anyway.
   */
  sizes?(request_ids: readonly string[]): Promise<readonly { readonly request_id: string; readonly bytes: number }[]>;
  /**
   * All or nothing, in the order given; resolves when durable. A refusal is a BrokerError CONFLICT, ALREADY_EXISTS,
   * INSTANCE_LIMIT_EXCEEDED or INSTANCE_BUSY; commits of one group are savepoints: one that fails does not fail its neighbours.
   * UNAVAILABLE means that nothing was written, unless `details.outcome` is `unknown`.
   */
  commit(changes: readonly Change[]): Promise<void>;
  /**
   * Takes up to `limit` due requests that nobody holds, by the store's own clock, and raises each one's `epoch`. Due: `next_at` has come,
   * or a signal waits; the longest due comes first. Held: by an owner whose lease runs; the lease of an owner of this host that is dead counts as ended.
   * A clock that was set back since the last claim makes everything due that waits, and bounds running leases by `lease_ms` from now.
   */
  claim(owner: Owner, limit: number, lease_ms: number): Promise<readonly Claim[]>;
  /** Prolongs all claims of an owner in one statement; returns those that it still holds. A lease that ended is not revived. */
  renew(owner: Owner, lease_ms: number): Promise<readonly Pick<Claim, 'request_id' | 'epoch'>[]>;
  /** Gives claims back in good order: nothing is on the wire. Stale ones are passed over. */
  yield(claims: readonly Pick<Claim, 'request_id' | 'epoch'>[]): Promise<void>;
  /** Calls back, within a second, after another store object (process or thread) on the same storage committed these kinds; own commits too. Claims are not told. */
  watch(on: (kinds: ReadonlySet<Kind>) => void): Disposable;
  /** Resolves when something could be written durably just now; rejects with UNAVAILABLE, saying why, while nothing can be. Changes nothing that is seen. Absent: it always can. */
  ready?(): Promise<void>;
  /** Removes everything that is no longer needed by any process and closes. Waits for commits under way. Idempotent. */
  close(): Promise<void>;
}

export interface StorageContext {
  readonly clock: Clock;
  readonly log: Log;
}

/** What a look through everything that is stored found. */
export interface StorageCheck {
  /** False when any finding is an error. */
  readonly valid: boolean;
  /** The file or place that was looked through. */
  readonly path: string;
  readonly size_bytes: number;
  /** What is written and not yet in its place. */
  readonly log_bytes: number;
  readonly schema_version: number;
  readonly took_ms: number;
  /** How many there are of each kind. */
  readonly records: Readonly<Record<string, number>>;
  /** `path` points to the record, by its kind and key; empty for the storage itself. */
  readonly findings: readonly Finding[];
}

/** A copy that was written, and what a look through it found. It is there only when that found no error. */
export interface StorageCopy {
  readonly file: string;
  readonly size_bytes: number;
  /** The copying alone, without the check. */
  readonly took_ms: number;
  readonly check: StorageCheck;
}

/** A kind of storage. */
export interface StorageDriver<Options extends ObjectSchema = ObjectSchema> {
  readonly type: string;
  /** Fields of `storage` in the configuration, beside `type`. */
  readonly options: Options;
  /** Whether several threads and processes may open the same storage at once. With `false` the loop runs in the thread of the faces. */
  readonly shared: boolean;
  /** Opens, and migrates to the present version. Rejects with INVALID_CONFIGURATION or UNAVAILABLE and a sentence that says what to do. */
  open(options: ValueOf<Options>, context: StorageContext): Promise<Store>;
  /** Looks through everything that is stored, or through the copy in `file`. Changes nothing, and works beside others. Absent: it cannot be looked through. */
  check?(options: ValueOf<Options>, file?: string): Promise<StorageCheck>;
  /**
   * Writes all that is stored at this moment into a new file, readable by the owner alone, durable and checked; beside others, without holding them up. What
   * stands there is replaced only with `replace`, and only by a whole copy, else CONFLICT. Absent: it cannot be copied.
   */
  backup?(options: ValueOf<Options>, file: string, replace: boolean): Promise<StorageCopy>;
}

/** Keeps the option types of a driver. */
export function defineStorage<Options extends ObjectSchema>(driver: StorageDriver<Options>): StorageDriver<Options> {
  return driver;
}
