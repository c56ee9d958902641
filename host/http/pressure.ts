import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Store } from '../../core/contract/storage.ts';
import { counter, gauge, type Family } from '../metrics/family.ts';

/** A commit that is not durable yet. */
interface PendingCommit {
  readonly since: number;
}

/**
 * Measures how long calls currently wait: for the storage, by the oldest commit that is not durable yet; for this
 * thread, by how long it has been reading calls without interruption. Uses no timer and costs almost nothing per call.
 */
export class Pressure {
  readonly #max_ms: number;
  readonly #worker: number;
  /** In the order of their start. */
  readonly #commits = new Set<PendingCommit>();
  #readingSince: number | undefined;
  #refused = 0;

  /** `max_ms`: calls that change state are refused while others wait longer than this. */
  constructor(max_ms: number, worker: number) {
    this.#max_ms = max_ms;
    this.#worker = worker;
  }

  /** Tracks the commits of a store after this call. Returns the same store. */
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

  /**
   * Returns the error for a call that changes state; undefined when it is accepted. Call it before the body is read.
   */
  objection(): BrokerError | undefined {
    const now = performance.now();
    const store_ms = this.#oldest(now);
    const reading_ms = now - this.#began(now);
    if (Math.max(store_ms, reading_ms) <= this.#max_ms) return undefined;
    this.#refused += 1;
    const what = store_ms > reading_ms ? 'The storage' : 'The server';
    const waited = Math.round(Math.max(store_ms, reading_ms));
    const message = `${what} is overloaded: calls wait ${waited} ms, the maximum is ${this.#max_ms} ms (server.max_wait_ms). Nothing was done; try again later.`;
    return new BrokerError('UNAVAILABLE', message, { waited_ms: waited, retry_after_s: 1 });
  }

  families(): readonly Family[] {
    const labels = { worker: this.#worker };
    return [
      gauge('muster_store_commits_waiting', 'Commits of callers that are not durable yet.', [
        [labels, this.#commits.size],
      ]),
      gauge('muster_store_oldest_commit_seconds', 'How long the oldest waiting commit has waited.', [
        [labels, this.#oldest(performance.now()) / 1000],
      ]),
      counter('muster_calls_refused_total', 'Calls that were refused because other calls waited too long.', [
        [labels, this.#refused],
      ]),
    ];
  }

  #oldest(now: number): number {
    for (const { since } of this.#commits) return now - since;
    return 0;
  }

  /** When the thread began to read the current batch of calls. */
  #began(now: number): number {
    if (this.#readingSince === undefined) {
      this.#readingSince = now;
      // Runs when all available calls are read.
      setImmediate(() => (this.#readingSince = undefined));
    }
    return this.#readingSince;
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/**
 * Returns a hook that refuses a call which changes state, before its body is read, while other calls wait too long.
 */
export const refuseUnderPressure =
  (pressure: Pressure): Hook =>
  (_request, _reply, done) =>
    done(pressure.objection());
