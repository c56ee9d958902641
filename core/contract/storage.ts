import type { ObjectSchema, ValueOf } from '../schema/object-schema.ts';
import type { BrokerRecord, BrokerState } from '../model/broker.ts';
import type { BudgetBounds } from '../model/budget/budget-bounds.ts';
import type { Reserved } from '../model/budget/reserved.ts';
import type { BudgetScope } from '../model/budget/scope.ts';
import type { Column, Kind, KeyOf, Records } from '../model/kinds.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { StorageCheck, StorageCopy, StorageMigration } from './upkeep.ts';
import type { TransferEnd } from './transfer.ts';

/**
 * The value that a column must have. A list means any of its values; `null` means that the field is absent. `before`
 * and `after` exclude their bound and never match an absent field.
 */
export type Match =
  | string
  | number
  | boolean
  | null
  | readonly (string | number | null)[]
  | { readonly before?: number; readonly after?: number };

/** A bounded query over one kind. All conditions must hold. */
export interface Query<K extends Kind> {
  readonly where?: { readonly [C in Column<K>]?: Match };
  /**
   * Default: by key, ascending. Ties are broken by key in the direction of the last column, so that paging never skips
   * or repeats a record and one index serves both. Ascending, absent values come first.
   */
  readonly order?: readonly (readonly [Column<K>, 'asc' | 'desc'])[];
  /** Default: no bound. */
  readonly limit?: number;
  readonly offset?: number;
}

/** Part of a list, and the number of all entries. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/**
 * One part of a commit.
 * - `insert`: the key must be free, else ALREADY_EXISTS. The store sets `seq` of an `event`; `version` starts at 1,
 *   `epoch` at 0.
 * - `put`: inserts or replaces; never an `event`. A `request` may be put only in a commit that contains its `fence`;
 *   its `version` increases by one and its `epoch` does not change, whatever the record says. A living `machine` of
 *   another request is never replaced: CONFLICT, with both requests.
 * - `update`: replaces a record whose `version` is still the given one, else CONFLICT; the version increases by one.
 * - `delete`: removes a record, with `version` only while the version is still the given one. An absent record is no
 *   error.
 * - `fence`: the commit succeeds only while this is the present epoch of the request or job, else CONFLICT. A
 *   take-over waits for a commit that passed its fence.
 * - `limit`: refuses with INSTANCE_LIMIT_EXCEEDED when the sum of `holds` of all requests of the template and
 *   `machine_count` is above `max`. Counted in the same transaction, before the changes of the commit.
 * - `slot`: refuses with INSTANCE_BUSY unless the instance has a free slot for the request. The commit that opens an
 *   attempt at the instance contains this part. Slots are counted as follows. Every other request with an `active`
 *   attempt at the instance takes one of the `max` slots. One slot is reserved for each earlier request (by
 *   `created_at`, then `request_id`) that `waits_for` the instance and has not ended. A request that has an active
 *   attempt there needs no further slot. Counted in the same transaction, after the fences and before the other
 *   changes of the commit; `details` contain `open` and `max`. So requests are served in the order of acceptance: each
 *   waits only for active attempts and for older requests. The oldest request waits only for attempts, and an attempt
 *   ends by its provider or by its time-out, never by a slot: a deadlock is impossible. A refused request stores
 *   `waits_for`. The commit that opens its attempt, ends or cancels it, or selects another instance clears
 *   `waits_for`. A waiting request must stay due: a request that is never claimed again would keep its slot.
 * - `budget`: refuses with BUDGET_EXCEEDED when everything that requests reserve in the scope (`reservedIn`), with the
 *   changes of the commit, is above a bound (`exceeded`). Of two commits with the part, of any processes, the second one
 *   sees the first one. What is reserved follows from the stored requests alone: a request that is put, deleted or
 *   refused counts as it is stored. Checked after all other parts: a commit that is refused for another reason gets
 *   that refusal. The cost does not depend on the number of requests; only the first use of a scope may read them all.
 * - `add`: adds to numbers in the `value` of a fact, inside the store, so that concurrent additions are kept. An
 *   absent number starts at 0; `at` becomes the later of both times. Names are letters, digits and `_`.
 * - `check`: refuses with CONFLICT unless the numbers in the `value` of a fact are these. An absent number, also of an
 *   absent fact, is 0. Compared in the same transaction, before the changes of the commit. Commits that check the same
 *   fact are executed one after another, so that no other such commit changes it in between.
 */
export type Change =
  | { [K in Kind]: { readonly op: 'insert' | 'put'; readonly kind: K; readonly record: Records[K] } }[Kind]
  | {
      [K in 'request' | 'template']: {
        readonly op: 'update';
        readonly kind: K;
        readonly record: Records[K];
        readonly version: number;
      };
    }['request' | 'template']
  | {
      [K in Kind]: { readonly op: 'delete'; readonly kind: K; readonly key: KeyOf<K>; readonly version?: number };
    }[Kind]
  | Fence
  | { readonly op: 'limit'; readonly template_id: string; readonly machine_count: number; readonly max: number }
  | { readonly op: 'slot'; readonly provider_instance: string; readonly request_id: string; readonly max: number }
  | BudgetCheck
  | {
      readonly op: 'add';
      readonly kind: 'fact';
      readonly key: KeyOf<'fact'>;
      readonly amounts: Readonly<Record<string, number>>;
      readonly at: number;
    }
  | {
      readonly op: 'check';
      readonly fact: KeyOf<'fact'>;
      readonly numbers: Readonly<Record<string, number>>;
    };

/** The condition that the reservations of a commit fit into a budget. */
export interface BudgetCheck {
  readonly op: 'budget';
  /** The name of the budget, for the refusal. */
  readonly name: string;
  readonly scope: BudgetScope;
  readonly bounds: BudgetBounds;
}

/** The condition that a claim, or the lease of a job, is still held. */
export type Fence =
  | { readonly op: 'fence'; readonly request_id: string; readonly job?: undefined; readonly epoch: number }
  | { readonly op: 'fence'; readonly job: string; readonly request_id?: undefined; readonly epoch: number };

/** The right to change a request, until the lease ends or the epoch increases. */
export interface Claim {
  readonly request_id: string;
  readonly epoch: number;
  /** The last holder did not yield the claim: a call that it sent may still be in flight. */
  readonly taken_over: boolean;
}

/** A claim as its holder names it. */
export type Held = Pick<Claim, 'request_id' | 'epoch'>;

/** What a broker holds after a renewal of its lease. */
export interface Renewal {
  readonly claims: readonly Held[];
  /**
   * Requests that the broker should yield when they are at rest, because other live brokers should have them: the
   * broker cannot serve them, or holds more than its share.
   */
  readonly surplus: readonly string[];
  /** The brokers whose lease runs, this one included, ordered by `broker_id`. */
  readonly live: readonly BrokerRecord[];
}

/** The right to do work that is done once at a time, until the lease of its broker ends or the epoch increases. */
export interface JobLease {
  readonly job: string;
  readonly epoch: number;
}

/**
 * The state of the broker. Durable, transactional, and shared by processes where the storage supports that. Every
 * method rejects with UNAVAILABLE when the storage cannot serve.
 */
export interface Store {
  get<K extends Kind>(kind: K, key: KeyOf<K>): Promise<Records[K] | undefined>;
  find<K extends Kind>(kind: K, query: Query<K>): Promise<readonly Records[K][]>;
  /** How many records match. Counts by `status` of requests and machines are maintained, not computed. */
  count<K extends Kind>(kind: K, where: NonNullable<Query<K>['where']>): Promise<number>;
  /**
   * A number that increases with every commit, of any process, that changes records of this kind. Equal numbers mean
   * that nothing changed. Cheap.
   */
  changes(kind: Kind): Promise<number>;
  /** Ids and versions of requests, in order: enough to answer from cached answers. */
  versions(query: Query<'request'>): Promise<readonly { readonly request_id: string; readonly version: number }[]>;
  /**
   * The stored size of requests in bytes, for those that exist. A caller that reads many requests uses the sizes to
   * avoid reading hundreds of megabytes at once. Cheaper than reading the records. Absent: all records are in memory.
   */
  sizes?(request_ids: readonly string[]): Promise<readonly { readonly request_id: string; readonly bytes: number }[]>;
  /** What all requests reserve in a scope: the sum of `reservedIn` over the stored requests. */
  reserved(scope: BudgetScope): Promise<Reserved>;
  /**
   * Commits all changes or none, in the given order. Resolves when the changes are durable. A refusal is a BrokerError
   * CONFLICT, ALREADY_EXISTS, INSTANCE_LIMIT_EXCEEDED, INSTANCE_BUSY or BUDGET_EXCEEDED. Commits of one group are
   * savepoints: a commit that fails does not affect the other commits of its group. UNAVAILABLE means that nothing was
   * written, unless `details.outcome` is `unknown`.
   */
  commit(changes: readonly Change[]): Promise<void>;
  /**
   * Claims up to `limit` due requests without a holder, by the clock of the store, and increases the `epoch` of each.
   * A request is due when `next_at` has passed or a signal waits; the longest due comes first. A request is held while
   * the lease of its broker runs; the lease of a dead broker of this host counts as ended (`isDead`). The call also
   * renews the lease of the broker if it claims something. When the clock was set back since the last claim, every
   * request with a `next_at` is due, and running leases end at most `lease_ms` from now.
   *
   * With other live brokers, a broker claims no more than its share of the requests with the same `needs`, and none
   * that another one can serve and it cannot (`claimable`). A request that no live broker can serve may be claimed by
   * any: its holder reports for what it waits.
   */
  claim(broker: BrokerRecord, limit: number, lease_ms: number): Promise<readonly Claim[]>;
  /**
   * Renews the lease of a broker, and with it all its claims and jobs, by writing one row; stores its present record.
   * A broker without a lease begins one: so it joins the others. A lease that ended is never renewed: its claims and
   * jobs are free, and the same broker begins a new one.
   */
  renew(broker: BrokerRecord, lease_ms: number): Promise<Renewal>;
  /** Gives claims back when no call is in flight. Stale claims are ignored. */
  yield(claims: readonly Held[]): Promise<void>;
  /**
   * Ends the lease of a broker that stops: it is no longer listed, and its jobs are free. Claims that it did not yield
   * are taken over.
   */
  leave(broker: BrokerRecord): Promise<void>;
  /**
   * The brokers, ordered by `broker_id`: those whose lease runs, and for ten minutes those whose lease ended without
   * `leave`. One entry for each `broker_id`: that of its latest thread.
   */
  brokers(): Promise<readonly BrokerState[]>;
  /**
   * Gives a job to a broker, until its lease ends or it frees the job; undefined while another broker has it. A job
   * that a broker has already is given to it again under the same epoch. Each other time the epoch increases. Also
   * begins the lease of a broker without one.
   */
  job(broker: BrokerRecord, job: string, lease_ms: number): Promise<JobLease | undefined>;
  /** Frees a job. A stale lease is ignored. */
  freeJob(lease: JobLease): Promise<void>;
  /**
   * The time of the storage in epoch milliseconds. All times in records, and the time by which `claim` works, are of
   * this clock. Absent: it is the clock with which the storage was opened.
   */
  now?(): Promise<number>;
  /**
   * Calls `on` within a second after a commit of these kinds, by this or another store object (process or thread) on
   * the same storage. Changes of claims are not reported.
   */
  watch(on: (kinds: ReadonlySet<Kind>) => void): Disposable;
  /**
   * Resolves when the storage can write durably; else rejects with UNAVAILABLE and the cause. Changes nothing that is
   * visible. Absent: the storage can always write.
   */
  ready?(): Promise<void>;
  /**
   * Removes everything that no process needs any more, and closes the store. Waits for running commits. Idempotent.
   */
  close(): Promise<void>;
}

export interface StorageContext {
  readonly clock: Clock;
  readonly log: Log;
}

/** A kind of storage. */
export interface StorageDriver<Options extends ObjectSchema = ObjectSchema> {
  readonly type: string;
  /** Fields of `storage` in the configuration, besides `type`. */
  readonly options: Options;
  /**
   * Whether several threads and processes may open the same storage at once. With `false` the loop runs in the thread
   * of the interfaces.
   */
  readonly shared: boolean;
  /** How long a broker counts as alive after its last renewal. Default: 30 seconds. */
  readonly lease_ms?: number;
  /**
   * Opens the storage and migrates it to the present version. Rejects with INVALID_CONFIGURATION or UNAVAILABLE and a
   * message with the remedy.
   */
  open(options: ValueOf<Options>, context: StorageContext): Promise<Store>;
  /**
   * Rejects with UNAVAILABLE, and with `absent: true` in the details, while the storage is absent and may come by
   * itself: then the start of a server waits. `open` rejects in the same way when the storage goes away meanwhile.
   * Resolves when `open` succeeds, or reports what is wrong. Absent: a start waits only for what `open` says.
   */
  reach?(options: ValueOf<Options>): Promise<void>;
  /**
   * Rejects as `open` would, as far as can be told without creating or changing anything; with `absent: true` in the
   * details as `reach` does. May run beside brokers. Absent: `muster server start --check` looks at what `reach` says.
   */
  tryOpening?(options: ValueOf<Options>): Promise<void>;
  /**
   * Updates the schema ahead of a start, and creates a missing one. May run beside brokers of this version and of the
   * version before. Repeatable. Absent: only `open` updates.
   */
  migrate?(options: ValueOf<Options>, context: Pick<StorageContext, 'log'>): Promise<StorageMigration>;
  /**
   * Checks everything that is stored, or the backup in `file`. Changes nothing, and runs beside other processes.
   * Absent: the storage has no check.
   */
  check?(options: ValueOf<Options>, file?: string): Promise<StorageCheck>;
  /**
   * Writes everything that is stored at this moment into a new file: readable by its owner alone, durable and checked.
   * Runs beside other processes and does not block them. An existing file is replaced only with `replace`, and only by
   * a complete backup, else CONFLICT. Absent: the storage has no backup.
   */
  backup?(options: ValueOf<Options>, file: string, replace: boolean): Promise<StorageCopy>;
  /**
   * The options for a place that is named on a command line, a URL or a file; undefined when it is none of this
   * storage. Absent: a configuration file names the storage.
   */
  optionsOf?(place: string): ValueOf<Options> | undefined;
  /**
   * Opens the storage for `muster storage copy`, whether brokers use it or not. Creates and updates nothing. `open`
   * refuses with INVALID_CONFIGURATION what `TransferState` says. Absent: the storage cannot be copied.
   */
  transfer?(options: ValueOf<Options>): Promise<TransferEnd>;
}

/** Infers the option types of a driver. */
export function defineStorage<Options extends ObjectSchema>(driver: StorageDriver<Options>): StorageDriver<Options> {
  return driver;
}
