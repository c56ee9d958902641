import { randomUUID } from 'node:crypto';
import { quoted, SharedMarks, type Kind, type Log } from '../../../core/index.ts';
import type { Connection } from '../connections/connection.ts';
import type { Row, Statement } from '../connections/statement.ts';
import { text } from '../database/failures.ts';
import type { GroupStatements, Marks } from './group-statements.ts';

type On = (kinds: ReadonlySet<Kind>) => void;

/** What the feed needs of its store. */
export interface FeedParts {
  readonly statements: GroupStatements;
  /** The marks of this process: the same in every store on the database and the schema. */
  readonly shared: SharedMarks;
  /** The channel of notifications: the name of the schema. */
  readonly channel: string;
  /** The marks at the opening of the store. */
  readonly marks: Marks;
  readonly log: Log;
  readonly pollMs: number;
  /** Whether to send and to hear notifications. Without them, only polling reports changes. */
  readonly notifies: boolean;
  run(statement: Statement): Promise<readonly Row[]>;
  listen(notified: (by: string) => void): Promise<Connection>;
}

/** Commits of this time share one notification. */
const coalesceMs = 10;
/** The pause before a connection that was lost is opened again. */
const reconnectMs = 1_000;

/**
 * Reports which kinds changed. Each commit raises the mark of its kinds. Other stores of this process read the marks
 * in shared memory. Stores elsewhere read them when a notification arrives, when their connection for notifications
 * is made again, and at an interval; so a lost notification costs time and no change. Each change is reported once.
 *
 * Notifications are sent on their own, after the commit: inside of it, they would make all commits of the server wait
 * for each other.
 */
export class ChangeFeed {
  readonly #parts: FeedParts;
  readonly #watchers = new Set<{ readonly on: On }>();
  /** Marks this store in its own notifications. */
  readonly #id = randomUUID();
  #seen: Marks;
  #poll: NodeJS.Timeout | undefined;
  #announcements: Disposable | undefined;
  #notice: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #again = false;
  #listener: Promise<Connection | undefined> | undefined;
  #closed = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#seen = parts.marks;
  }

  /**
   * Announces a commit of this store, after it is durable. Its watchers are notified of what no reading of the marks
   * reported before: a reading can be answered between the commit and its answer.
   */
  announce(kinds: ReadonlySet<Kind>, marks: Marks): void {
    const raised = new Map([...marks].filter(([kind]) => kinds.has(kind)));
    const unseen = this.#see(raised);
    this.#parts.shared.announce(raised);
    if (unseen.size > 0 && this.#watchers.size > 0) setImmediate(() => this.#notify(unseen));
    if (this.#parts.notifies) this.#notice ??= setTimeout(() => this.#sendNotice(), coalesceMs).unref();
  }

  watch(on: On): Disposable {
    const watcher = { on };
    this.#watchers.add(watcher);
    if (this.#watchers.size === 1) this.#begin();
    return {
      [Symbol.dispose]: () => {
        this.#watchers.delete(watcher);
        if (this.#watchers.size === 0) this.#end();
      },
    };
  }

  /** The last notification is sent before the end, so that no other store waits for its next poll. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#watchers.clear();
    if (this.#notice) await this.#sendNotice();
    const listener = this.#listener;
    this.#end();
    await (await listener)?.close();
  }

  /** Changes since the opening of the store are reported too: the marks of this moment are not known in it. */
  #begin(): void {
    const { pollMs, notifies } = this.#parts;
    this.#announcements = this.#parts.shared.watch((marks) => this.#receive(new Map(marks)));
    this.#read();
    this.#poll = setInterval(() => this.#read(), pollMs);
    this.#poll.unref();
    if (notifies) this.#listener = this.#listen();
  }

  #end(): void {
    clearInterval(this.#poll);
    this.#announcements?.[Symbol.dispose]();
    this.#announcements = undefined;
    void this.#listener?.then((listener) => listener?.destroy());
    this.#listener = undefined;
  }

  async #listen(): Promise<Connection | undefined> {
    try {
      const listener = await this.#parts.listen((by) => {
        if (by !== this.#id) this.#read();
      });
      void listener.ended.then(() => this.#listenAgain());
      await listener.run([{ text: `LISTEN ${quoted(this.#parts.channel)}` }]);
      // What was committed while nobody listened.
      this.#read();
      return listener;
    } catch (error) {
      this.#logFailure(error);
      return undefined;
    }
  }

  #listenAgain(): void {
    setTimeout(() => {
      if (!this.#closed && this.#watchers.size > 0) this.#listener = this.#listen();
    }, reconnectMs).unref();
  }

  async #sendNotice(): Promise<void> {
    clearTimeout(this.#notice);
    this.#notice = undefined;
    try {
      await this.#parts.run({ text: 'SELECT pg_notify($1, $2)', values: [this.#parts.channel, this.#id] });
    } catch (error) {
      // The other stores find the change at their next poll.
      this.#logFailure(error);
    }
  }

  /** Compares the marks, once more when this is asked for meanwhile. */
  #read(): void {
    if (this.#closed || this.#watchers.size === 0) return;
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = this.#marks()
      .then(
        (marks) => this.#receive(marks),
        (error: unknown) => this.#logFailure(error),
      )
      .finally(() => this.#readAgain());
  }

  #readAgain(): void {
    this.#reading = undefined;
    if (!this.#again) return;
    this.#again = false;
    this.#read();
  }

  async #marks(): Promise<Marks> {
    const [row] = await this.#parts.run(this.#parts.statements.marks);
    return this.#parts.statements.read(row);
  }

  #receive(marks: Marks): void {
    const unseen = this.#see(marks);
    if (unseen.size > 0) this.#notify(unseen);
  }

  /** Keeps the marks, and returns the kinds whose mark is news. */
  #see(marks: Marks): ReadonlySet<Kind> {
    const news = [...marks].filter(([kind, mark]) => mark > (this.#seen.get(kind) ?? 0));
    this.#seen = new Map([...this.#seen, ...news]);
    return new Set(news.map(([kind]) => kind));
  }

  #notify(kinds: ReadonlySet<Kind>): void {
    for (const { on } of this.#watchers) {
      try {
        on(kinds);
      } catch (error) {
        this.#parts.log.error({ err: error }, 'A watcher of the storage failed.');
      }
    }
  }

  #logFailure(error: unknown): void {
    this.#parts.log.debug(
      { reason: text(error) },
      'Changes of other processes could not be read; the check is repeated.',
    );
  }
}
