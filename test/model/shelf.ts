import {
  BrokerError,
  type AttemptRecord,
  type Change,
  type Kind,
  type MachineRecord,
  type RequestRecord,
  type Store,
  type SignalRecord,
} from '../../core/index.ts';
import { machineKey } from '../../core/model/machine.ts';
import type { Life, StoreFault } from './life.ts';
import type { Time } from './time.ts';

/** What is stored, as the judge reads it. */
export interface Rows {
  readonly requests: ReadonlyMap<string, RequestRecord>;
  /** By request. */
  readonly attempts: ReadonlyMap<string, ReadonlyMap<number, AttemptRecord>>;
  readonly machines: ReadonlyMap<string, MachineRecord>;
  readonly signals: ReadonlyMap<string, SignalRecord>;
}

/** A row that was written. `before`: what stood there. */
export type Written = {
  [K in 'request' | 'attempt' | 'machine' | 'signal']: {
    readonly kind: K;
    readonly before: RowOf[K] | undefined;
    readonly row: RowOf[K];
  };
}['request' | 'attempt' | 'machine' | 'signal'];
interface RowOf {
  request: RequestRecord;
  attempt: AttemptRecord;
  machine: MachineRecord;
  signal: SignalRecord;
}

interface Watcher {
  readonly on: (kinds: ReadonlySet<Kind>) => void;
  readonly life: Life | undefined;
  readonly heard: Set<Kind>;
}

/** The store that all lives share, with a copy of what is in it for whoever judges. */
export class Shelf {
  readonly #store: Store;
  readonly #time: Time;
  readonly #commitMs: number;
  readonly requests = new Map<string, RequestRecord>();
  readonly attempts = new Map<string, Map<number, AttemptRecord>>();
  readonly machines = new Map<string, MachineRecord>();
  readonly signals = new Map<string, SignalRecord>();
  /** Told of every commit, after it holds. */
  written: (rows: readonly Written[], life: Life | undefined) => void = () => undefined;
  /** Notifications are lost until then. */
  silentUntil = 0;
  /** When commits failed. */
  readonly failed_at: number[] = [];
  readonly #watchers = new Set<Watcher>();

  /** `commitMs`: how long a life takes to commit changes of a request. */
  constructor(store: Store, time: Time, commitMs = 0) {
    this.#store = store;
    this.#time = time;
    this.#commitMs = commitMs;
  }

  /** The store as one life has it; without one, as the interfaces have it. */
  for(life?: Life, rows = 200): Store {
    const store = this.#store;
    const read = async <T>(call: () => Promise<T>): Promise<T> => {
      await this.#enter(life, 'read');
      throwIf(life?.readFaults.shift());
      const answer = await call();
      await life?.gate();
      return answer;
    };
    return {
      get: (kind, key) => read(() => store.get(kind, key)),
      find: (kind, query) => read(() => store.find(kind, query)),
      count: (kind, where) => read(() => store.count(kind, where)),
      changes: (kind) => read(() => store.changes(kind)),
      versions: (query) => read(() => store.versions(query)),
      reserved: (scope) => read(() => store.reserved(scope)),
      claim: (broker, limit, lease) => read(() => store.claim(broker, limit, lease)),
      renew: (broker, lease) => read(() => store.renew(broker, lease)),
      yield: (claims) => read(() => store.yield(claims)),
      leave: (broker) => read(() => store.leave(broker)),
      brokers: () => read(() => store.brokers()),
      job: (broker, job, lease) => read(() => store.job(broker, job, lease)),
      freeJob: (lease) => read(() => store.freeJob(lease)),
      watch: (on) => this.#watch(on, life),
      close: async () => undefined,
      commit: async (changes) => {
        const full = changes.length >= rows - 2;
        await this.#enter(life, 'commit');
        if (full && life?.comesTo('full commit', 'before')) await life.gate();
        const fault = life?.commitFaults.shift();
        if (fault !== undefined) this.failed_at.push(this.#time.now);
        if (fault !== 'unknown, written') throwIf(fault);
        if (life && this.#commitMs > 0 && changes.some(({ op }) => op === 'fence')) {
          await new Promise<void>((resolve) => this.#time.after(this.#commitMs, resolve));
          await life.gate();
        }
        await this.#commit(changes, life);
        throwIf(fault);
        if (life?.comesTo('commit', 'after') || (full && life?.comesTo('full commit', 'after'))) await life?.gate();
        await life?.gate();
      },
    };
  }

  /** Wakes those who watch. Whether there was anything to tell. */
  tell(): boolean {
    let told = false;
    for (const watcher of this.#watchers) {
      if (watcher.life?.state === 'dead') this.#watchers.delete(watcher);
      if (
        watcher.heard.size === 0 ||
        (watcher.life && (watcher.life.state !== 'running' || watcher.life.host.suspended))
      )
        continue;
      const heard = new Set(watcher.heard);
      watcher.heard.clear();
      watcher.on(heard);
      told = true;
    }
    return told;
  }

  async #enter(life: Life | undefined, on: 'read' | 'commit'): Promise<void> {
    this.#time.busy += 1;
    await life?.gate();
    if (life?.comesTo(on, 'before')) await life.gate();
  }

  async #commit(changes: readonly Change[], life: Life | undefined): Promise<void> {
    await this.#store.commit(changes);
    const rows = changes.flatMap((change) => this.#copy(change));
    const kinds = new Set(changes.flatMap((change) => ('kind' in change ? change.kind : [])));
    if (this.#time.now >= this.silentUntil)
      for (const watcher of this.#watchers) for (const kind of kinds) watcher.heard.add(kind);
    if (rows.length > 0) this.written(rows, life);
  }

  #copy(change: Change): Written[] {
    if (change.op === 'fence' || change.op === 'limit' || change.op === 'delete' || !('record' in change)) return [];
    switch (change.kind) {
      case 'request': {
        const row = change.record;
        const before = this.requests.get(row.request_id);
        this.requests.set(row.request_id, row);
        return [{ kind: 'request', before, row }];
      }
      case 'attempt': {
        const row = change.record;
        const mine = this.attempts.get(row.request_id) ?? new Map<number, AttemptRecord>();
        const before = mine.get(row.attempt);
        this.attempts.set(row.request_id, mine.set(row.attempt, row));
        return [{ kind: 'attempt', before, row }];
      }
      case 'machine': {
        const row = change.record;
        const before = this.machines.get(machineKey(row));
        this.machines.set(machineKey(row), row);
        return [{ kind: 'machine', before, row }];
      }
      case 'signal': {
        const row = change.record;
        const before = this.signals.get(row.signal_id);
        this.signals.set(row.signal_id, row);
        return [{ kind: 'signal', before, row }];
      }
      default:
        return [];
    }
  }

  #watch(on: Watcher['on'], life: Life | undefined): Disposable {
    const watcher: Watcher = { on, life, heard: new Set() };
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }
}

function throwIf(fault: StoreFault | undefined): void {
  if (fault === undefined) return;
  const details = fault === 'refused' ? {} : { outcome: 'unknown' };
  throw new BrokerError('UNAVAILABLE', `The storage does not serve (${fault}).`, details);
}
