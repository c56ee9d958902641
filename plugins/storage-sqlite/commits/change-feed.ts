import type { StatementSync } from 'node:sqlite';
import { SharedMarks, type Kind, type Log } from '../../../core/index.ts';
import { text } from '../database/failures.ts';
import { row, rows, type Statements } from '../queries/statements.ts';

type On = (kinds: ReadonlySet<Kind>) => void;
type Mark = readonly [Kind, number];

/** How often the feed checks for commits of other processes while there are watchers. A check takes microseconds. */
const pollIntervalMs = 250;

/**
 * Reports which kinds changed. Each commit raises the mark of its kinds. Other stores of this process read the marks
 * in shared memory; other processes detect the change of the file and compare the marks. So each change is reported
 * once, whichever way it is noticed first.
 */
export class ChangeFeed {
  readonly #log: Log;
  readonly #marksOfProcess: SharedMarks;
  readonly #watchers = new Set<{ readonly on: On }>();
  readonly #seen = new Map<Kind, number>();
  readonly #sql: { readonly [name in 'raise' | 'marks' | 'mark' | 'file']: StatementSync };
  #raised: readonly Mark[] = [];
  #file: unknown;
  #poll: NodeJS.Timeout | undefined;
  #announcements: Disposable | undefined;

  constructor(statements: Statements, path: string, log: Log) {
    this.#log = log;
    this.#sql = {
      raise: statements.prepare('UPDATE mark SET changes = changes + 1 WHERE kind = ? RETURNING changes'),
      marks: statements.prepare('SELECT kind, changes FROM mark'),
      mark: statements.prepare('SELECT changes FROM mark WHERE kind = ?'),
      file: statements.prepare('PRAGMA data_version'),
    };
    const shared = SharedMarks.at(path);
    this.#marksOfProcess = this.#logFailure(() => shared.of(this.#marks())) ?? shared;
  }

  /** Raises the marks, inside the transaction of the commits. */
  raise(kinds: ReadonlySet<Kind>): void {
    this.#raised = [...kinds].flatMap((kind): readonly Mark[] => {
      const mark = row(this.#sql.raise, [kind])?.[0];
      // Absent in a table that somebody has edited.
      return typeof mark === 'number' ? [[kind, mark]] : [];
    });
  }

  /** Announces the marks, after that transaction is durable. */
  announce(kinds: ReadonlySet<Kind>): void {
    for (const [kind, mark] of this.#raised) this.#seen.set(kind, mark);
    this.#marksOfProcess.announce(this.#raised);
    if (this.#watchers.size > 0) setImmediate(() => this.#notify(kinds));
  }

  /** How often records of a kind were changed, by any process. */
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
        if (this.#watchers.size === 0) this.#end();
      },
    };
  }

  close(): void {
    this.#watchers.clear();
    this.#end();
  }

  #begin(): void {
    // Before the marks are read: what another thread commits in between is announced.
    this.#announcements = this.#marksOfProcess.watch((marks) => this.#receive(marks));
    this.#logFailure(() => {
      this.#file = row(this.#sql.file, [])?.[0];
      for (const [kind, mark] of this.#marks()) this.#seen.set(kind, mark);
    });
    this.#poll = setInterval(() => this.#logFailure(() => this.#checkMarks()), pollIntervalMs);
    this.#poll.unref();
  }

  #end(): void {
    clearInterval(this.#poll);
    this.#announcements?.[Symbol.dispose]();
    this.#announcements = undefined;
  }

  #checkMarks(): void {
    const file = row(this.#sql.file, [])?.[0];
    if (file === this.#file) return;
    this.#receive(this.#marks());
    // Set after the marks were read: when that fails, the next check must read them again.
    this.#file = file;
  }

  #receive(marks: readonly Mark[]): void {
    const raised = marks.filter(([kind, mark]) => mark > (this.#seen.get(kind) ?? 0));
    for (const [kind, mark] of raised) this.#seen.set(kind, mark);
    if (raised.length > 0) this.#notify(new Set(raised.map(([kind]) => kind)));
  }

  #notify(kinds: ReadonlySet<Kind>): void {
    for (const { on } of this.#watchers) {
      try {
        on(kinds);
      } catch (error) {
        this.#log.error({ err: error }, 'A watcher of the storage failed.');
      }
    }
  }

  #logFailure<T>(readMarks: () => T): T | undefined {
    try {
      return readMarks();
    } catch (error) {
      this.#log.debug({ reason: text(error) }, 'Changes of other processes could not be read; the check is repeated.');
      return undefined;
    }
  }

  #marks(): readonly Mark[] {
    return rows(this.#sql.marks, []) as unknown as readonly Mark[];
  }
}
