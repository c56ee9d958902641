import {
  BrokerError,
  kinds,
  type Change,
  type Claim,
  type Kind,
  type KeyOf,
  type Owner,
  type Query,
  type Records,
} from '../../core/index.ts';
import type { Log, StorageContext, Store } from '../../core/index.ts';
import { Claims } from './claims.ts';
import { Table, type Kept } from './table.ts';
import { apply } from './transaction.ts';

/** Everything in maps. What comes in and goes out is copied, so that it behaves like a storage; counting and sorting look at every record. */
export class MemoryStore implements Store {
  readonly #tables: { readonly [K in Kind]: Table };
  readonly #claims: Claims;
  readonly #log: Log;
  readonly #watchers = new Set<{ readonly on: (kinds: ReadonlySet<Kind>) => void }>();
  readonly #changes = new Map<Kind, number>();
  #seq = 0;
  #closed = false;

  constructor({ clock, log }: StorageContext) {
    this.#tables = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, new Table(kind as Kind)])) as { readonly [K in Kind]: Table };
    this.#claims = new Claims(this.#tables.request, this.#tables.wish, () => clock.now());
    this.#log = log;
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

  async versions(query: Query<'request'>): Promise<readonly { readonly request_id: string; readonly version: number }[]> {
    this.#refuseWhenClosed();
    return this.#tables.request
      .find(query)
      .map((found) => ({ request_id: found['request_id'] as string, version: found['version'] as number }));
  }

  async commit(changes: readonly Change[]): Promise<void> {
    this.#refuseWhenClosed();
    apply(changes, this.#tables, () => (this.#seq += 1));
    this.#claims.forgetDeleted();
    const kinds = new Set(changes.flatMap((change) => ('kind' in change ? change.kind : [])));
    for (const kind of kinds) this.#changes.set(kind, (this.#changes.get(kind) ?? 0) + 1);
    this.#tell(kinds);
  }

  async claim(owner: Owner, limit: number, lease_ms: number): Promise<readonly Claim[]> {
    this.#refuseWhenClosed();
    return this.#claims.claim(owner, limit, lease_ms);
  }

  async renew(owner: Owner, lease_ms: number): Promise<readonly Pick<Claim, 'request_id' | 'epoch'>[]> {
    this.#refuseWhenClosed();
    return this.#claims.renew(owner, lease_ms);
  }

  async yield(claims: readonly Pick<Claim, 'request_id' | 'epoch'>[]): Promise<void> {
    this.#refuseWhenClosed();
    this.#claims.yield(claims);
  }

  watch(on: (kinds: ReadonlySet<Kind>) => void): Disposable {
    this.#refuseWhenClosed();
    const watcher = { on };
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watchers.clear();
  }

  #tell(kinds: ReadonlySet<Kind>): void {
    if (kinds.size === 0 || this.#watchers.size === 0) return;
    setImmediate(() => {
      for (const { on } of this.#watchers) {
        try {
          on(kinds);
        } catch (error) {
          this.#log.error({ err: error }, 'a watcher of the storage failed');
        }
      }
    });
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new BrokerError('UNAVAILABLE', 'The storage in memory is closed.');
  }
}

const copy = <K extends Kind>(found: Kept): Records[K] => structuredClone(found) as unknown as Records[K];
