import {
  BrokerError,
  type BrokerRecord,
  type BrokerState,
  type BudgetScope,
  type Change,
  type Claim,
  type Held,
  type JobLease,
  type KeyOf,
  type Kind,
  kinds,
  type Log,
  type Query,
  type Records,
  type Renewal,
  type Reserved,
  type StorageContext,
  type Store,
} from '../../core/index.ts';
import type { BrokerLease } from './brokers.ts';
import { Claims, type HeldClaim } from './claims.ts';
import type { Kept } from './kept.ts';
import { reservedBy } from './reserved-by.ts';
import { Table } from './table.ts';
import { apply } from './transaction.ts';

/**
 * What must be restored after a restart, in its order: a commit, claims that were given with the lease of their
 * holder, claims that were yielded, or a job that was given. JSON.
 */
export type JournalEntry =
  | { readonly changes: readonly Change[] }
  | { readonly claimed: readonly HeldClaim[]; readonly lease?: BrokerLease }
  | { readonly yielded: readonly Held[] }
  | { readonly job: JobLease; readonly lease?: BrokerLease };

/** Makes a MemoryStore durable. */
export interface Journal {
  /**
   * Resolves when the entry is durable; rejects with UNAVAILABLE when it was not written. Calls do not overlap, and no
   * reader sees the change of an entry before it is durable.
   */
  write(entry: JournalEntry): Promise<void>;
  /** Called once, after the last write. */
  close(): Promise<void>;
}

/**
 * A store that keeps all records in maps. It copies records on the way in and out, as a database does; counting and
 * sorting read every record. Without a `journal` the records end with the process. With a journal it is a storage for
 * one process and as many records as fit into memory: pass the written entries to `restore` at the next start.
 */
export class MemoryStore implements Store {
  readonly #tables: { readonly [K in Kind]: Table };
  readonly #claims: Claims;
  readonly #log: Log;
  readonly #journal: Journal | undefined;
  readonly #watchers = new Set<{ readonly on: (kinds: ReadonlySet<Kind>) => void }>();
  readonly #changes = new Map<Kind, number>();
  #seq = 0;
  #closed: Promise<void> | undefined;
  /** With a journal, each commit and claim waits for those before it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ clock, log }: StorageContext, journal?: Journal) {
    this.#tables = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, new Table(kind as Kind)])) as {
      readonly [K in Kind]: Table;
    };
    this.#claims = new Claims(this.#tables.request, this.#tables.signal, () => clock.now());
    this.#log = log;
    this.#journal = journal;
  }

  /** Applies an entry of the journal. Call it before any other method, in the order of the journal. */
  restore(entry: JournalEntry): void {
    if ('changes' in entry) this.#apply(entry.changes);
    else if ('claimed' in entry) this.#claims.restore(entry.lease, entry.claimed);
    else if ('job' in entry) {
      this.#claims.restore(entry.lease, []);
      this.#claims.restoreJob(entry.job, entry.lease?.term);
    } else this.#claims.yield(entry.yielded);
  }

  async get<K extends Kind>(kind: K, key: KeyOf<K>): Promise<Records[K] | undefined> {
    this.#refuseWhenClosed();
    const found = this.#tables[kind].get(key);
    return found && copy<K>(found);
  }

  async find<K extends Kind>(kind: K, query: Query<K>): Promise<readonly Records[K][]> {
    this.#refuseWhenClosed();
    return this.#tables[kind].find(query as Query<Kind>).map((found) => copy<K>(found));
  }

  async count<K extends Kind>(kind: K, where: NonNullable<Query<K>['where']>): Promise<number> {
    this.#refuseWhenClosed();
    return this.#tables[kind].find({ where } as Query<Kind>).length;
  }

  async changes(kind: Kind): Promise<number> {
    this.#refuseWhenClosed();
    return this.#changes.get(kind) ?? 0;
  }

  async versions(
    query: Query<'request'>,
  ): Promise<readonly { readonly request_id: string; readonly version: number }[]> {
    this.#refuseWhenClosed();
    return this.#tables.request
      .find(query)
      .map((found) => ({ request_id: found['request_id'] as string, version: found['version'] as number }));
  }

  async reserved(scope: BudgetScope): Promise<Reserved> {
    this.#refuseWhenClosed();
    return reservedBy(this.#tables.request, scope);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    this.#refuseWhenClosed();
    const journal = this.#journal;
    if (!journal) return this.#apply(changes);
    // The caller may change its records while this commit waits.
    const given = structuredClone(changes);
    return this.#serialized(async () => {
      // Applies and undoes the changes first: a refused commit is not written, and no reader sees a commit that is not
      // durable yet.
      const seq = this.#seq;
      this.#applied(given)();
      this.#seq = seq;
      // A restore does not check bounds that held at the commit.
      await journal.write({ changes: given.filter(({ op }) => op !== 'limit' && op !== 'slot' && op !== 'budget') });
      this.#apply(given);
    });
  }

  async claim(broker: BrokerRecord, limit: number, lease_ms: number): Promise<readonly Claim[]> {
    this.#refuseWhenClosed();
    const journal = this.#journal;
    if (!journal) return this.#claims.claim(broker, limit, lease_ms);
    return this.#serialized(async () => {
      const claims = this.#claims.claim(broker, limit, lease_ms);
      // A given epoch must never be given again; an epoch that a failure skips does no harm. The entry also shows the
      // next holder that this holder did not yield.
      try {
        if (claims.length > 0) await journal.write({ claimed: this.#claims.held(claims), ...this.#leaseOf(broker) });
      } catch (error) {
        this.#claims.yield(claims);
        throw error;
      }
      return claims;
    });
  }

  async renew(broker: BrokerRecord, lease_ms: number): Promise<Renewal> {
    this.#refuseWhenClosed();
    return this.#claims.renew(broker, lease_ms);
  }

  async yield(claims: readonly Held[]): Promise<void> {
    this.#refuseWhenClosed();
    const journal = this.#journal;
    if (!journal) return this.#claims.yield(claims);
    return this.#serialized(async () => {
      await journal.write({ yielded: claims.map(({ request_id, epoch }) => ({ request_id, epoch })) });
      this.#claims.yield(claims);
    });
  }

  async leave(broker: BrokerRecord): Promise<void> {
    this.#refuseWhenClosed();
    this.#claims.leave(broker);
  }

  async brokers(): Promise<readonly BrokerState[]> {
    this.#refuseWhenClosed();
    return this.#claims.brokers();
  }

  async job(broker: BrokerRecord, job: string, lease_ms: number): Promise<JobLease | undefined> {
    this.#refuseWhenClosed();
    const journal = this.#journal;
    const before = this.#claims.epochOf(job);
    if (!journal) return this.#claims.job(broker, job, lease_ms);
    return this.#serialized(async () => {
      const given = this.#claims.job(broker, job, lease_ms);
      if (!given || given.epoch === before) return given;
      try {
        await journal.write({ job: given, ...this.#leaseOf(broker) });
      } catch (error) {
        this.#claims.freeJob(given);
        throw error;
      }
      return given;
    });
  }

  async freeJob(lease: JobLease): Promise<void> {
    this.#refuseWhenClosed();
    this.#claims.freeJob(lease);
  }

  watch(on: (kinds: ReadonlySet<Kind>) => void): Disposable {
    this.#refuseWhenClosed();
    const watcher = { on };
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  close(): Promise<void> {
    this.#watchers.clear();
    return (this.#closed ??= this.#last.then(() => this.#journal?.close()));
  }

  #leaseOf(broker: BrokerRecord): { readonly lease?: BrokerLease } {
    const lease = this.#claims.leaseOf(broker);
    return lease ? { lease } : {};
  }

  #apply(changes: readonly Change[]): void {
    this.#applied(changes);
    this.#claims.forgetDeleted();
    const kinds = new Set(changes.flatMap((change) => ('kind' in change ? change.kind : [])));
    for (const kind of kinds) this.#changes.set(kind, (this.#changes.get(kind) ?? 0) + 1);
    this.#notify(kinds);
  }

  /** Applies changes to the tables. Returns the function that undoes them. */
  #applied(changes: readonly Change[]): () => void {
    return apply(
      changes,
      this.#tables,
      () => (this.#seq += 1),
      (job) => this.#claims.epochOf(job),
    );
  }

  #serialized<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  #notify(kinds: ReadonlySet<Kind>): void {
    if (kinds.size === 0 || this.#watchers.size === 0) return;
    setImmediate(() => {
      for (const { on } of this.#watchers) {
        try {
          on(kinds);
        } catch (error) {
          this.#log.error({ err: error }, 'A watcher of the storage failed.');
        }
      }
    });
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new BrokerError('UNAVAILABLE', 'The memory storage is closed.');
  }
}

/** Faster than structuredClone. What is kept is JSON. */
const copy = <K extends Kind>(found: Kept): Records[K] => JSON.parse(JSON.stringify(found)) as Records[K];
