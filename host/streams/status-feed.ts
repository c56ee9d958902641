import type { Clock } from '../../core/contract/clock.ts';
import type { Log } from '../../core/contract/log.ts';
import type { SchedulerStrategy } from '../../core/contract/scheduler.ts';
import type { Store } from '../../core/contract/storage.ts';
import { queryInParts } from '../../core/collections/query-in-parts.ts';
import { isBrokerError } from '../../core/contract/errors.ts';
import type { Rendering } from '../../core/operations/rendering.ts';
import { syncAndGetRequest } from '../../core/operations/requests/requests.ts';
import type { RequestQueries } from '../../core/requests/queries/request-queries.ts';
import type { OpenStream } from './open-stream.ts';
import { StatusReader, type StatusMessage } from './status-reader.ts';
import type { Turns } from './turns.ts';

/** The interval between two looks at the versions while requests change, in milliseconds. */
const gatherMs = 250;
const retryMs = 1_000;

/** Which document of a request is followed. */
export interface FollowedStatus {
  readonly request_id: string;
  /** With its machines. */
  readonly long: boolean;
  readonly strategy: SchedulerStrategy;
  /** As the only entry of `requests`, which is the form of some formats anyway. Default false. */
  readonly inList?: boolean;
}

/** The readers of one document, which share its text. */
interface Followed extends FollowedStatus {
  readonly readers: Set<StatusReader>;
  message: StatusMessage;
  /** The versions of the requests that the document depends on. */
  versions: ReadonlyMap<string, number>;
}

export interface StatusParts {
  readonly store: Pick<Store, 'watch' | 'versions'>;
  readonly queries: RequestQueries;
  readonly rendering: Rendering;
  readonly clock: Clock;
  readonly log: Log;
  readonly turns: Turns;
}

/**
 * The status documents of requests as they change, for any number of readers of this process. A document is rendered
 * once for each change, and only the documents of changed requests are. Without readers it does nothing.
 */
export class StatusFeed {
  readonly #parts: StatusParts;
  readonly #followed = new Map<string, Followed>();
  #watch: Disposable | undefined;
  #stop = new AbortController();
  #opening = 0;
  #notices = 0;
  #changed = false;
  #running = false;
  #notBefore = -Infinity;

  constructor(parts: StatusParts) {
    this.#parts = parts;
  }

  /**
   * Adds a reader. It gets the present document, and the document after each change until the request has ended. `open`
   * begins its stream; `over` is called instead when the reader knows the last document already. Rejects with
   * REQUEST_NOT_FOUND.
   */
  async follow(
    what: FollowedStatus,
    known: number | undefined,
    open: () => OpenStream,
    over: () => void,
  ): Promise<void> {
    // A change between the read and the watch would not be noticed.
    this.#watch ??= this.#parts.store.watch((kinds) => {
      if (kinds.has('request')) this.#notice();
    });
    this.#opening += 1;
    const notices = this.#notices;
    try {
      const read = await this.#read(what, what.long);
      if (read.message.ended && read.message.version === known) return over();
      const stream = open();
      const followed = this.#join(what, read);
      const reader = new StatusReader(stream, followed.message);
      followed.readers.add(reader);
      stream.onClose = () => {
        followed.readers.delete(reader);
        this.#rest();
      };
      // The request may have changed before it was among those that are looked at.
      if (notices !== this.#notices) this.#notice();
    } finally {
      this.#opening -= 1;
      this.#rest();
    }
  }

  #join(what: FollowedStatus, read: Read): Followed {
    const key = JSON.stringify([what.request_id, what.long, what.strategy.name, what.inList ?? false]);
    const known = this.#followed.get(key);
    if (known) {
      update(known, read);
      return known;
    }
    const followed = { ...what, ...read, readers: new Set<StatusReader>() };
    this.#followed.set(key, followed);
    return followed;
  }

  async #read({ request_id, long, strategy, inList }: FollowedStatus, refresh: boolean): Promise<Read> {
    const { queries, rendering } = this.#parts;
    const status = await queries.status(request_id, long, refresh);
    const body = await rendering.body(syncAndGetRequest, status, strategy);
    const { version, of, ended } = status.version;
    const text =
      inList && strategy.name === rendering.own.name ? `{"requests":[${body.toString()}]}` : body.toString();
    return {
      message: { version, ended, text },
      versions: new Map(of.map((each) => [each.request_id, each.version])),
    };
  }

  /** Forgets documents without readers, and stops to watch when there are none. */
  #rest(): void {
    for (const [key, { readers }] of this.#followed) if (readers.size === 0) this.#followed.delete(key);
    if (this.#followed.size > 0 || this.#opening > 0) return;
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }

  #notice(): void {
    this.#notices += 1;
    this.#changed = true;
    if (this.#running) return;
    this.#running = true;
    void this.#run(this.#stop.signal).finally(() => {
      this.#running = false;
      if (this.#changed && this.#watch) this.#notice();
    });
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    let failing = false;
    while (this.#changed && !signal.aborted) {
      const wait = this.#notBefore - clock.monotonic();
      if (wait > 0) await clock.sleep(wait, signal);
      if (signal.aborted) return;
      this.#changed = false;
      try {
        await this.#distribute();
        this.#notBefore = clock.monotonic() + gatherMs;
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'The state of requests cannot be read; their streams wait.');
        failing = true;
        this.#changed = true;
        this.#notBefore = clock.monotonic() + retryMs;
      }
    }
  }

  async #distribute(): Promise<void> {
    const all = [...this.#followed.values()];
    const ids = all.flatMap(({ versions }) => [...versions.keys()]);
    const found = await queryInParts(ids, (request_id) => this.#parts.store.versions({ where: { request_id } }));
    const present = new Map(found.map(({ request_id, version }) => [request_id, version]));
    for (const followed of all) {
      if ([...followed.versions].every(([id, version]) => present.get(id) === version)) continue;
      const read = await this.#read(followed, false).catch((error: unknown) => {
        if (isBrokerError(error) && error.code === 'REQUEST_NOT_FOUND') return undefined;
        throw error;
      });
      if (read) update(followed, read);
      else for (const reader of followed.readers) reader.end();
      await this.#parts.turns.each(followed.readers, (reader) => reader.offer(followed.message));
    }
  }
}

type Read = Pick<Followed, 'message' | 'versions'>;

/** Takes a document over unless a later one is known, since reads overlap. */
function update(followed: Followed, { message, versions }: Read): void {
  const isOlder = [...followed.versions].some(([id, version]) => (versions.get(id) ?? version) < version);
  if (isOlder) return;
  const isEqual = message.text === followed.message.text && message.ended === followed.message.ended;
  followed.versions = versions;
  if (!isEqual) followed.message = message;
}
