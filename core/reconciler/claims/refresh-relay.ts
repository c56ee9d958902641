import type { Clock } from '../../contract/clock.ts';
import type { Facts } from '../../providers/facts.ts';

export interface RefreshRelayParts {
  readonly facts: Pick<Facts, 'ofTopic' | 'learn'>;
  readonly clock: Clock;
  readonly broker_id: string;
  /** Aborts at the end of the loop. */
  readonly signal: AbortSignal;
  /** Observes those of the requests that are held here, and returns them. */
  refresh(request_ids: readonly string[]): readonly string[];
  /** Another broker observed the requests at this time. */
  refreshed(request_ids: readonly string[], at: number): void;
}

interface Told {
  readonly asked: readonly string[];
  readonly observed: readonly (readonly [request_id: string, at: number])[];
}

const topic = 'refresh';
/** The interval between two commits of a broker. */
const everyMs = 1_000;
/** How long a request stays in the commits, so that a reader that misses one finds it in the next. */
const toldMs = 3_000;
/** Facts that are older are ignored: their caller has its answer. */
const oldMs = 10_000;
/** The most requests of one commit; more wait for their own observations. */
const most = 1_000;

/**
 * Asks the brokers that hold requests to observe them now, and learns when they did. Each broker tells it in one fact,
 * at most once a second, so that neither addresses nor connections between brokers are needed. A hint that is lost
 * delays nothing: its request is observed in its own rhythm.
 */
export class RefreshRelay {
  readonly #parts: RefreshRelayParts;
  /** By request: when it was asked for here. Monotonic milliseconds, as those of `#told`. */
  readonly #asked = new Map<string, number>();
  /** By request: when it was observed for another broker, and since when that is told. */
  readonly #observed = new Map<string, { readonly at: number; readonly since: number }>();
  /** Requests that other brokers asked for and that were not observed since. */
  readonly #awaited = new Set<string>();
  readonly #heard = new Map<string, number>();
  #telling = false;
  #again = false;

  constructor(parts: RefreshRelayParts) {
    this.#parts = parts;
  }

  /** Requests that are not held here. */
  ask(request_ids: readonly string[]): void {
    const now = this.#parts.clock.monotonic();
    for (const id of request_ids) if (this.#asked.size < most) this.#asked.set(id, now);
    this.#tell();
  }

  /** Requests were observed here. */
  observed(request_ids: readonly string[], at: number): void {
    if (this.#awaited.size === 0) return;
    const since = this.#parts.clock.monotonic();
    const awaited = request_ids.filter((id) => this.#awaited.delete(id));
    for (const id of awaited) this.#observed.set(id, { at, since });
    if (awaited.length > 0) this.#tell();
  }

  /** The facts changed. */
  heard(): void {
    const { facts, clock, broker_id } = this.#parts;
    for (const { name, at, value } of facts.ofTopic(topic)) {
      if (name === broker_id || this.#heard.get(name) === at) continue;
      this.#heard.set(name, at);
      if (at < clock.now() - oldMs) continue;
      const { asked, observed } = value as Told;
      for (const id of this.#parts.refresh(asked)) if (this.#awaited.size < most) this.#awaited.add(id);
      for (const [time, ids] of Map.groupBy(observed, ([, when]) => when))
        this.#parts.refreshed(
          ids.map(([id]) => id),
          time,
        );
    }
  }

  #tell(): void {
    this.#again = true;
    if (!this.#telling) void this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    const { facts, clock, broker_id, signal } = this.#parts;
    this.#telling = true;
    while (this.#again && !signal.aborted) {
      this.#again = false;
      const before = clock.monotonic() - toldMs;
      for (const [id, since] of this.#asked) if (since < before) this.#asked.delete(id);
      for (const [id, { since }] of this.#observed) if (since < before) this.#observed.delete(id);
      const at = clock.now();
      const value: Told = {
        asked: [...this.#asked.keys()],
        observed: [...this.#observed].map(([id, observed]) => [id, observed.at]),
      };
      const fact = { topic, name: broker_id, item: '', value, at, until: at + 60_000 };
      await facts.learn([fact]).catch(() => undefined);
      await clock.sleep(everyMs, signal);
    }
    this.#telling = false;
  }
}
