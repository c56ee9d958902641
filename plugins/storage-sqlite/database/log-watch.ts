import { statSync } from 'node:fs';
import type { Log } from '../../../core/index.ts';

/** SQLite moves the log into the database and restarts the log at a few MiB: this is many times as much. */
const reportBytes = 256 * 1024 * 1024;
const checkIntervalMs = 5_000;

/**
 * Warns when the write-ahead log grows out of bounds: it restarts only when no transaction reads its older part, so
 * that a long transaction makes it grow. It shrinks by itself after that transaction.
 */
export class LogWatch {
  readonly #file: string;
  readonly #log: Log;
  readonly #reportBytes: number;
  #next = -Infinity;
  #reportedSize = 0;

  constructor(path: string, log: Log, bytes = reportBytes) {
    this.#file = `${path}-wal`;
    this.#log = log;
    this.#reportBytes = bytes;
  }

  /** Call it after each write. Checks the size every few seconds. */
  wrote(): void {
    const now = performance.now();
    if (now < this.#next) return;
    this.#next = now + checkIntervalMs;
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < this.#reportBytes) this.#reportedSize = 0;
    // Warns again each time that the size has doubled.
    else if (size >= 2 * this.#reportedSize) {
      this.#reportedSize = size;
      const mib = Math.round(size / 1024 / 1024);
      this.#log.warn(
        { file: this.#file, mib },
        `The log of the database has grown to ${mib} MiB because a program has read the database for a long time: a backup, or an open transaction. End that program; the log then shrinks by itself.`,
      );
    }
  }
}
