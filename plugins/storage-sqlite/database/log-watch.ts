import { statSync } from 'node:fs';
import type { Log } from '../../../core/index.ts';

/**
 * SQLite writes into the database what is in the log, and begins it anew, at a few MiB: this is many times as much.
 */
const large = 256 * 1024 * 1024;
const everyMs = 5_000;

/**
 * Tells when the write-ahead log grows out of bounds: it can only begin anew when nobody reads what was before, so a
 * transaction that someone has open for long makes it grow. It shrinks by itself once that has ended. /
 */
export class LogWatch {
  readonly #file: string;
  readonly #log: Log;
  readonly #large: number;
  #next = -Infinity;
  #told = 0;

  constructor(path: string, log: Log, largest = large) {
    this.#file = `${path}-wal`;
    this.#log = log;
    this.#large = largest;
  }

  /** After a write. Looks every few seconds. */
  wrote(): void {
    const now = performance.now();
    if (now < this.#next) return;
    this.#next = now + everyMs;
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < this.#large) this.#told = 0;
    // Again each time that it has doubled.
    else if (size >= 2 * this.#told) {
      this.#told = size;
      const mib = Math.round(size / 1024 / 1024);
      this.#log.warn(
        { file: this.#file, mib },
        `The log of the database has grown to ${mib} MiB because something reads the database for long: a backup, or a program with a transaction open. End that program; the log shrinks by itself.`,
      );
    }
  }
}
