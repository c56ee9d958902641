import { statSync } from 'node:fs';
import { BrokerError } from '../../../core/index.ts';

/** A check takes microseconds. Data that is written between two checks may be lost with the file. */
const checkIntervalMs = 250;
/** The files that SQLite has open, by suffix. Other programs find them by name. */
const suffixes = ['', '-wal', '-shm'];

/**
 * Whether the open files still have their names. A file that was removed, moved or replaced can still be written, but
 * no other process reads it; beside a new file in its place, the writes would even do damage.
 */
export class FilePlace {
  readonly #path: string;
  readonly #interval: number;
  readonly #opened: readonly string[];
  #next = 0;
  #lost: BrokerError | undefined;

  /** Call it when the files are open and in place. */
  constructor(path: string, interval = checkIntervalMs) {
    this.#path = path;
    this.#interval = interval;
    this.#opened = suffixes.map((end) => identity(path + end));
  }

  /**
   * The refusal when the files are not in place, from the last check or a new one when that is old. It ends when the
   * files are put back.
   */
  get lost(): BrokerError | undefined {
    if (performance.now() >= this.#next) this.check();
    return this.#lost;
  }

  /** Checks now. */
  check(): BrokerError | undefined {
    this.#next = performance.now() + this.#interval;
    const changed = suffixes.find(
      (end, i) => this.#opened[i] !== absent && identity(this.#path + end) !== this.#opened[i],
    );
    if (changed === undefined) return (this.#lost = undefined);
    const file = this.#path + changed;
    const became = identity(file) === absent ? 'was removed or moved' : 'was replaced by another file';
    return (this.#lost ??= new BrokerError(
      'UNAVAILABLE',
      `The database cannot serve: ${file} ${became} while muster runs. muster stopped writing: put the file back, or restart muster to continue with the new file.`,
    ));
  }
}

const absent = '';

function identity(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found ? `${found.dev}:${found.ino}` : absent;
  } catch {
    // A directory of the path was replaced or cannot be entered: no other process finds the file either.
    return absent;
  }
}
