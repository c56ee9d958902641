import { closeSync, constants, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BrokerError } from '../../core/contract/errors.ts';

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;

/**
 * Maximum size of the log at the start of a server, in bytes: a larger log is rotated. `kept` rotated files remain.
 */
const maxSize = 10 * 1024 * 1024;
const kept = 3;
/** Number of bytes that are read from the end of the log for its last lines. */
const tailBytes = 256 * 1024;

export const logFileOf = (dataDirectory: string): string => join(dataDirectory, 'server.log');

/**
 * Opens the log of a background server for appending, with mode 0600. Throws INVALID_CONFIGURATION when the file
 * cannot be written.
 */
export function openServerLog(dataDirectory: string): number {
  const file = logFileOf(dataDirectory);
  try {
    if (existsSync(file) && statSync(file).size > maxSize) rotate(file);
    return openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `The server cannot write its log ${file} (${code}). Change the permissions, or set MUSTER_DATA_DIR to another directory.`;
    throw new BrokerError('INVALID_CONFIGURATION', message, {}, { cause });
  }
}

function rotate(file: string): void {
  for (let age = kept; age > 0; age--) {
    const younger = age === 1 ? file : `${file}.${age - 1}`;
    if (existsSync(younger)) renameSync(younger, `${file}.${age}`);
  }
}

/** Returns the size of the log: the offset where the next line begins. */
export const endOfLog = (dataDirectory: string): number =>
  statSync(logFileOf(dataDirectory), { throwIfNoEntry: false })?.size ?? 0;

/** Returns the log from an offset on, at most its last 256 KiB. */
export function readLog(dataDirectory: string, from: number): string {
  const end = endOfLog(dataDirectory);
  const start = Math.max(from, end - tailBytes);
  if (end <= start) return '';
  const file = openSync(logFileOf(dataDirectory), 'r');
  try {
    const bytes = Buffer.alloc(end - start);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, start));
  } finally {
    closeSync(file);
  }
}

/** Returns the messages of the warnings in the log from an offset on. */
export function warningsSince(dataDirectory: string, from: number): string[] {
  return readLog(dataDirectory, from)
    .split('\n')
    .flatMap((line) => {
      const [, message] = /^\{"level":"warn".*"msg":("(?:[^"\\]|\\.)*")\}$/.exec(line) ?? [];
      return message === undefined ? [] : [String(JSON.parse(message))];
    });
}

/** Returns the last lines of the log. */
export function lastLines(dataDirectory: string, count: number, from = 0): string[] {
  const lines = readLog(dataDirectory, from).trimEnd().split('\n');
  return lines.slice(-count).filter((line, place) => line !== '' || place > 0);
}
