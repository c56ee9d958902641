import type { StatementSync } from 'node:sqlite';
import { BroadcastChannel } from 'node:worker_threads';
import type { Kind, Log } from '../../../core/index.ts';
import { text } from '../database/failures.ts';
import { row, rows, type Statements } from '../queries/statements.ts';

type On = (kinds: ReadonlySet<Kind>) => void;
type Mark = readonly [Kind, number];

/**
 * How often other processes' commits are looked for while somebody watches, in milliseconds. The look costs
 * microseconds.
 */
const interval = 250;

/**
 * Tells what changed. Each commit raises the mark of its kinds. Other stores of this process hear of it through a
 * channel, other processes see that the file changed and compare the marks; so each change is told once, whichever way
 * it is noticed first. /
 */
export class ChangeFeed {
  readonly #log: Log;
  readonly #channel: BroadcastChannel;
  readonly #watchers = new Set<{ readonly on: On }>();
  readonly #seen = new Map<Kind, number>();
  readonly #sql: { readonly [name in 'raise' | 'marks' | 'mark' | 'file']: StatementSync };
  #raised: readonly Mark[] = [];
  #file: unknown;
  #poll: NodeJS.Timeout | undefined;

  constructor(statements: Statements, path: string, log: Log) {
    this.#log = log;
    this.#sql = {
      raise: statements.prepare('UPDATE mark SET changes = changes + 1 WHERE kind = ? RETURNING changes'),
      marks: statements.prepare('SELECT kind, changes FROM mark'),
      mark: statements.prepare('SELECT changes FROM mark WHERE kind = ?'),
      file: statements.prepare('PRAGMA data_version'),
    };
    this.#channel = new BroadcastChannel(`muster storage ${path}`);
    this.#channel.addEventListener('message', (message) =>
      this.#hear((message as unknown as { readonly data: readonly Mark[] }).data),
    );
    this.#channel.unref();
  }

  /** Inside the transaction of the commits that changed these kinds. */
  raise(kinds: ReadonlySet<Kind>): void {
    this.#raised = [...kinds].map((kind) => [kind, row(this.#sql.raise, [kind])?.[0] as number] as const);
  }

  /** After that transaction is durable. */
  announce(kinds: ReadonlySet<Kind>): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads has no origin
    this.#channel.postMessage(this.#raised);
    for (const [kind, mark] of this.#raised) this.#seen.set(kind, mark);
    if (this.#watchers.size > 0) setImmediate(() => this.#tell(kinds));
  }

  /** How often records of a kind were changed, by everybody. */
  changes(kind: Kind): number {
    return Number(row(this.#sql.mark, [kind])?.[0] ?? 0);
  }

  watch(on: On): Disposable {
    const watcher = { on };
    if (this.#watchers.size === 0) this.#begin();
    this.#watchers.add(watcher);
    return {
      [Symbol.dispose]: () => {
        this.#watchers.delete(watcher);
        if (this.#watchers.size === 0) clearInterval(this.#poll);
      },
    };
  }

  close(): void {
    this.#watchers.clear();
    clearInterval(this.#poll);
    this.#channel.close();
  }

  #begin(): void {
    this.#attempt(() => {
      this.#file = row(this.#sql.file, [])?.[0];
      for (const [kind, mark] of this.#marks()) this.#seen.set(kind, mark);
    });
    this.#poll = setInterval(() => this.#attempt(() => this.#look()), interval);
    this.#poll.unref();
  }

  #look(): void {
    const file = row(this.#sql.file, [])?.[0];
    if (file === this.#file) return;
    this.#hear(this.#marks());
    // Only now: when the marks could not be read, the next look must try again.
    this.#file = file;
  }

  #hear(marks: readonly Mark[]): void {
    const news = marks.filter(([kind, mark]) => mark > (this.#seen.get(kind) ?? 0));
    for (const [kind, mark] of news) this.#seen.set(kind, mark);
    if (news.length > 0) this.#tell(new Set(news.map(([kind]) => kind)));
  }

  #tell(kinds: ReadonlySet<Kind>): void {
    for (const { on } of this.#watchers) {
      try {
        on(kinds);
      } catch (error) {
        this.#log.error({ err: error }, 'a watcher of the storage failed');
      }
    }
  }

  #attempt(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#log.debug({ reason: text(error) }, 'could not look for changes in the database; trying again');
    }
  }

  #marks(): readonly Mark[] {
    return rows(this.#sql.marks, []) as unknown as readonly Mark[];
  }
}
