import { BrokerError } from '../../core/contract/errors.ts';
import type { Store } from '../../core/contract/storage.ts';
import { counter, gauge, type Family } from './family.ts';

/** A commit that is not durable yet. */
interface UnderWay {
  readonly since: number;
}

/**
 * How long calls have to wait just now: for the storage, by the oldest commit that is not durable yet; and for this
 * thread, by how long it has been reading calls since it last did anything else. No timer, and next to nothing for a
 * call. /
 */
export class Pressure {
  readonly #most_ms: number;
  readonly #worker: number;
  /** In the order in which they came. */
  readonly #commits = new Set<UnderWay>();
  #turn: number | undefined;
  #refused = 0;

  /** `most_ms`: calls that change something are refused while others wait longer. */
  constructor(most_ms: number, worker: number) {
    this.#most_ms = most_ms;
    this.#worker = worker;
  }

  /** Follows the commits of a store from now on. Nothing else about it changes. */
  follow(store: Store): Store {
    const commit = store.commit.bind(store);
    store.commit = async (changes) => {
      const one = { since: performance.now() };
      this.#commits.add(one);
      try {
        await commit(changes);
      } finally {
        this.#commits.delete(one);
      }
    };
    return store;
  }

  /** Why a call that changes something is not taken; undefined: it is. To be asked before its body is read. */
  objection(): BrokerError | undefined {
    const now = performance.now();
    const store_ms = this.#oldest(now);
    const turn_ms = now - this.#began(now);
    if (Math.max(store_ms, turn_ms) <= this.#most_ms) return undefined;
    this.#refused += 1;
    const what = store_ms > turn_ms ? 'The storage' : 'The server';
    const waited = Math.round(Math.max(store_ms, turn_ms));
    const message = `${what} does not keep up: calls have waited for ${waited} ms, and ${this.#most_ms} are the most (server.max_wait_ms). Nothing was done; try again later.`;
    return new BrokerError('UNAVAILABLE', message, { waited_ms: waited, retry_after_s: 1 });
  }

  families(): readonly Family[] {
    const labels = { worker: this.#worker };
    return [
      gauge('muster_store_commits_waiting', 'Commits of callers that are not durable yet.', [
        [labels, this.#commits.size],
      ]),
      gauge('muster_store_oldest_commit_seconds', 'How long the oldest of them has waited.', [
        [labels, this.#oldest(performance.now()) / 1000],
      ]),
      counter('muster_calls_refused_total', 'Calls that were refused because others waited too long.', [
        [labels, this.#refused],
      ]),
    ];
  }

  #oldest(now: number): number {
    for (const { since } of this.#commits) return now - since;
    return 0;
  }

  /** When the thread began to read the calls that it reads now. */
  #began(now: number): number {
    if (this.#turn === undefined) {
      this.#turn = now;
      // Comes once nothing more is to be read.
      setImmediate(() => (this.#turn = undefined));
    }
    return this.#turn;
  }
}
