import { closeSync, constants, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BrokerError } from '../../core/contract/errors.ts';

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;

/** A log that is larger when a server starts is put aside; so many are kept beside it. */
const largest = 10 * 1024 * 1024;
const kept = 3;
/** As much of the end as is read for its last lines. */
const tailBytes = 256 * 1024;

export const logFileOf = (dataDirectory: string): string => join(dataDirectory, 'server.log');

/** Opens the log of a server in the background to be written on, readable by the owner alone. INVALID_CONFIGURATION when it cannot be written. */
export function openServerLog(dataDirectory: string): number {
  const file = logFileOf(dataDirectory);
  try {
    if (existsSync(file) && statSync(file).size > largest) putAside(file);
    return openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `The server cannot log into ${file} (${code}). Change the permissions, or set MUSTER_DATA_DIR to another directory.`;
    throw new BrokerError('INVALID_CONFIGURATION', message, {}, { cause });
  }
}

function putAside(file: string): void {
  for (let age = kept; age > 0; age--) {
    const younger = age === 1 ? file : `${file}.${age - 1}`;
    if (existsSync(younger)) renameSync(younger, `${file}.${age}`);
  }
}

/** The size of the log, as the place where the next line begins. */
export const endOfLog = (dataDirectory: string): number => statSync(logFileOf(dataDirectory), { throwIfNoEntry: false })?.size ?? 0;

/** What stands in the log from a place on; no more than the last part of it. */
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

/** The sentences of the warnings in the log from a place on. */
export function warningsSince(dataDirectory: string, from: number): string[] {
  return readLog(dataDirectory, from)
    .split('\n')
    .flatMap((line) => {
      const [, message] = /^\{"level":"warn".*"msg":("(?:[^"\\]|\\.)*")\}$/.exec(line) ?? [];
      return message === undefined ? [] : [String(JSON.parse(message))];
    });
}

/** The last lines of the log. */
export function lastLines(dataDirectory: string, count: number, from = 0): string[] {
  const lines = readLog(dataDirectory, from).trimEnd().split('\n');
  return lines.slice(-count).filter((line, place) => line !== '' || place > 0);
}
