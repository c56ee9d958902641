import { statSync } from 'node:fs';
import { BrokerError } from '../../../core/index.ts';

/** A look costs some millionths of a second; what is written between two of them may be lost with the file. */
const everyMs = 250;
/** What is written goes to these, by the descriptors that SQLite has open; others find them by name. */
const companions = ['', '-wal', '-shm'];

/**
 * Whether the files that are open still lie where everybody looks for them. One that was removed, moved or replaced
 * can be written on, and nobody ever reads it; beside another that took its place it would even do harm. /
 */
export class FilePlace {
  readonly #path: string;
  readonly #every: number;
  readonly #opened: readonly string[];
  #next = 0;
  #lost: BrokerError | undefined;

  /** The files are open, and in their place. */
  constructor(path: string, every = everyMs) {
    this.#path = path;
    this.#every = every;
    this.#opened = companions.map((end) => identity(path + end));
  }

  /** The refusal when they do not; looked at when the last look is long ago. It ends when they are put back. */
  get lost(): BrokerError | undefined {
    if (performance.now() >= this.#next) this.look();
    return this.#lost;
  }

  /** The same, looked at now. */
  look(): BrokerError | undefined {
    this.#next = performance.now() + this.#every;
    const changed = companions.find(
      (end, i) => this.#opened[i] !== nowhere && identity(this.#path + end) !== this.#opened[i],
    );
    if (changed === undefined) return (this.#lost = undefined);
    const file = this.#path + changed;
    const became = identity(file) === nowhere ? 'was removed or moved' : 'was replaced by another file';
    return (this.#lost ??= new BrokerError(
      'UNAVAILABLE',
      `The database cannot serve: ${file} ${became} while muster runs. Nothing is written any more: put it back, or restart muster to go on with what lies there.`,
    ));
  }
}

const nowhere = '';

function identity(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found ? `${found.dev}:${found.ino}` : nowhere;
  } catch {
    // A directory on the way that is none any more, or may not be entered: it is not found by anybody else either.
    return nowhere;
  }
}
