import {
  Outage,
  SharedMarks,
  quoted,
  scopeKey,
  type BrokerRecord,
  type BrokerState,
  type BudgetScope,
  type Change,
  type Claim,
  type Held,
  type JobLease,
  type Kind,
  type KeyOf,
  type Query,
  type Records,
  type Renewal,
  type Reserved,
  type StorageContext,
  type Store,
} from '../../core/index.ts';
import { BrokerLeases } from './commits/broker-leases.ts';
import { ChangeFeed, type FeedParts } from './commits/change-feed.ts';
import { ChangeWriter } from './commits/change-writer.ts';
import { Claims } from './commits/claims.ts';
import { GroupQueue } from './commits/group-queue.ts';
import { GroupStatements } from './commits/group-statements.ts';
import { BudgetStatements, reservedOf } from './database/budgets.ts';
import { targetOf } from './connections/client-config.ts';
import { Connection } from './connections/connection.ts';
import type { Row, Statement } from './connections/statement.ts';
import { Connections } from './connections/connections.ts';
import { closed, isConflict, isOfTheDatabase, refusal } from './database/failures.ts';
import { migrate } from './database/migrate.ts';
import { times } from './database/times.ts';
import { usableVersion } from './database/usable-version.ts';
import { newest } from './migrations/index.ts';
import type { PostgresOptions } from './options.ts';
import { RecordReader } from './queries/record-reader.ts';

/** How often statements are repeated that lost a conflict with the transactions of others. */
const maxConflicts = 5;

/** A write within this time proves that the database can be written. */
const writeValidMs = 1_000;

/** Opens the storage, and updates its tables unless the options forbid it. */
export async function openStore(options: PostgresOptions, { log }: StorageContext): Promise<Store> {
  const target = await targetOf(options);
  const { config, place } = target;
  const { schema } = options;
  const budgets = new BudgetStatements(quoted(schema));
  const statements = new GroupStatements(quoted(schema), budgets);
  const first = await Connection.open(config);
  try {
    const version = await usableVersion(first.run.bind(first), place, options);
    if (version < newest) await migrate(target, schema, log);
    // Before the marks of the database are read.
    const shared = SharedMarks.at(place);
    const [found = []] = await first.run([statements.marks]);
    const marks = statements.read(found[0]);
    const connections = new Connections(config, options.pool);
    return new PostgresStore(
      connections,
      place,
      options,
      statements,
      budgets,
      { marks, shared: shared.of(marks) },
      log,
    );
  } catch (error) {
    throw refusal(error, place);
  } finally {
    await first.close();
  }
}

/** The connections to one schema of a database. */
class PostgresStore implements Store {
  readonly #connections: Connections;
  readonly #place: string;
  readonly #reader: RecordReader;
  readonly #writer: ChangeWriter;
  readonly #leases: BrokerLeases;
  readonly #claims: Claims;
  readonly #statements: GroupStatements;
  readonly #budgets: BudgetStatements;
  /** The scopes whose sums are stored. */
  readonly #learned = new Set<string>();
  readonly #learning = new Map<string, Promise<unknown>>();
  readonly #feed: ChangeFeed;
  readonly #queue: GroupQueue;
  readonly #outage: Outage;
  readonly #touch: Statement;
  readonly #time: Statement;
  #probe: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    connections: Connections,
    place: string,
    options: PostgresOptions,
    statements: GroupStatements,
    budgets: BudgetStatements,
    marks: Pick<FeedParts, 'marks' | 'shared'>,
    log: StorageContext['log'],
  ) {
    const schema = quoted(options.schema);
    this.#connections = connections;
    this.#place = place;
    this.#statements = statements;
    this.#budgets = budgets;
    this.#outage = new Outage(log);
    this.#touch = { text: `UPDATE ${schema}.probe SET n = n + 1`, values: [] };
    this.#time = { text: `SELECT ${schema}.now_ms()`, values: [] };
    this.#reader = new RecordReader(schema, (statement) => this.#ask(statement));
    // A database that was restored, or a stand-by that took over, may not have the sums of a scope any more.
    this.#writer = new ChangeWriter(schema, budgets, (scope) => void this.#learned.delete(scopeKey(scope)));
    const run = (all: readonly Statement[]) => this.#run(all);
    this.#leases = new BrokerLeases(schema, run);
    this.#claims = new Claims(schema, run, this.#leases);
    this.#feed = new ChangeFeed({
      statements,
      ...marks,
      channel: options.schema,
      log,
      pollMs: options.poll_ms,
      notifies: options.listen,
      run: (statement) => this.#ask(statement),
      listen: (notified) => connections.listen(notified),
    });
    const write = (all: readonly Statement[]) => connections.write(all);
    this.#queue = new GroupQueue(write, statements, (kind, rows) => this.#writer.insertMany(kind, rows), place, {
      committed: (kinds, raised) => this.#feed.announce(kinds, raised),
      failed: (error, count) => this.#outage.failed(error, count),
      wrote: () => this.#outage.wrote(),
    });
  }

  async get<K extends Kind>(kind: K, key: KeyOf<K>): Promise<Records[K] | undefined> {
    return this.#reader.get(kind, key);
  }

  async find<K extends Kind>(kind: K, query: Query<K>): Promise<readonly Records[K][]> {
    return this.#reader.find(kind, query);
  }

  async count<K extends Kind>(kind: K, where: NonNullable<Query<K>['where']>): Promise<number> {
    return this.#reader.count(kind, where);
  }

  async changes(kind: Kind): Promise<number> {
    const [row] = await this.#ask(this.#statements.marks);
    return this.#statements.read(row).get(kind) ?? 0;
  }

  async versions(
    query: Query<'request'>,
  ): Promise<readonly { readonly request_id: string; readonly version: number }[]> {
    return this.#reader.versions(query);
  }

  async sizes(
    request_ids: readonly string[],
  ): Promise<readonly { readonly request_id: string; readonly bytes: number }[]> {
    return this.#reader.sizes(request_ids);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    this.#refuseWhenClosed();
    if (changes.length === 0) return;
    const scopes = changes.flatMap((change) =>
      change.op === 'budget' && !this.#learned.has(scopeKey(change.scope)) ? change.scope : [],
    );
    if (scopes.length > 0) await Promise.all(scopes.map((scope) => this.#learn(scope)));
    await this.#queue.add(this.#writer.work(changes));
  }

  async reserved(scope: BudgetScope): Promise<Reserved> {
    const [row] = await this.#ask(this.#budgets.reading(scope));
    return reservedOf(row);
  }

  async claim(broker: BrokerRecord, limit: number, lease_ms: number): Promise<readonly Claim[]> {
    return this.#claims.claim(broker, limit, lease_ms);
  }

  async renew(broker: BrokerRecord, lease_ms: number): Promise<Renewal> {
    return this.#claims.renew(broker, lease_ms);
  }

  async yield(claims: readonly Held[]): Promise<void> {
    this.#refuseWhenClosed();
    return this.#claims.yield(claims);
  }

  async leave(broker: BrokerRecord): Promise<void> {
    return this.#leases.leave(broker);
  }

  async brokers(): Promise<readonly BrokerState[]> {
    return this.#leases.brokers();
  }

  async job(broker: BrokerRecord, job: string, lease_ms: number): Promise<JobLease | undefined> {
    return this.#leases.job(broker, job, lease_ms);
  }

  async freeJob(lease: JobLease): Promise<void> {
    return this.#leases.freeJob(lease);
  }

  async now(): Promise<number> {
    const [row] = await this.#ask(this.#time);
    return Number(row?.[0]);
  }

  watch(on: (kinds: ReadonlySet<Kind>) => void): Disposable {
    this.#refuseWhenClosed();
    return this.#feed.watch(on);
  }

  async ready(): Promise<void> {
    this.#refuseWhenClosed();
    if (this.#outage.wroteWithin(writeValidMs)) return;
    this.#probe ??= this.#ask(this.#touch)
      .then(() => this.#outage.wrote())
      .finally(() => (this.#probe = undefined));
    await this.#probe;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.drain();
    await this.#feed.close();
    await this.#connections.close();
  }

  async #ask(statement: Statement): Promise<readonly Row[]> {
    const [rows = []] = await this.#run([statement]);
    return rows;
  }

  /** Stores the sums of a scope, once for all commits that wait for it. */
  #learn(scope: BudgetScope): Promise<unknown> {
    const key = scopeKey(scope);
    const running = this.#learning.get(key);
    if (running) return running;
    const learning = this.#run(this.#budgets.learning(scope))
      .then(() => this.#learned.add(key))
      .finally(() => this.#learning.delete(key));
    this.#learning.set(key, learning);
    return learning;
  }

  /** Runs statements that may be repeated when they lose a conflict. Answers within the time of a call. */
  async #run(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    this.#refuseWhenClosed();
    let late: NodeJS.Timeout | undefined;
    const end = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new Error('it does not answer')), times.callMs);
    });
    try {
      return await Promise.race([this.#repeated(statements), end]);
    } catch (error) {
      const refused = refusal(error, this.#place);
      if (isOfTheDatabase(error)) this.#outage.failed(refused);
      throw refused;
    } finally {
      clearTimeout(late);
    }
  }

  async #repeated(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        return await this.#connections.run(statements);
      } catch (error) {
        if (!isConflict(error) || conflicts === maxConflicts) throw error;
      }
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closing) throw closed(this.#place);
  }
}
