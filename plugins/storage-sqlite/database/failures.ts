import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { BrokerError, isBrokerError } from '../../../core/index.ts';

/** Primary result codes of SQLite that this plugin distinguishes. */
export const sqlite = {
  error: 1,
  perm: 3,
  busy: 5,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  range: 25,
  notADatabase: 26,
};

// Failures of one statement: the transaction around it is intact, and other work may continue.
const ofTheStatement = new Set([sqlite.error, sqlite.tooBig, sqlite.constraint, sqlite.mismatch, sqlite.range]);

/**
 * Names of the extended codes of SQLite for failures of files: SQLite does not pass on the error of the operating
 * system.
 */
const extended: { readonly [code: number]: string } = {
  266: 'SQLITE_IOERR_READ',
  522: 'SQLITE_IOERR_SHORT_READ',
  778: 'SQLITE_IOERR_WRITE',
  1034: 'SQLITE_IOERR_FSYNC',
  1290: 'SQLITE_IOERR_DIR_FSYNC',
  1546: 'SQLITE_IOERR_TRUNCATE',
  4874: 'SQLITE_IOERR_SHMSIZE',
  264: 'SQLITE_READONLY_RECOVERY',
  1032: 'SQLITE_READONLY_DBMOVED',
  1544: 'SQLITE_READONLY_DIRECTORY',
};

function extendedCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code : undefined;
}

/** The primary result code of SQLite; undefined for other errors. */
export function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** A document that cannot be parsed: the file is damaged. */
export class Damaged extends Error {
  readonly errcode = sqlite.corrupt;
}

/** Whether the file is damaged: only a backup helps. */
export const isDamage = (error: unknown): boolean =>
  [sqlite.corrupt, sqlite.notADatabase].includes(resultCode(error) ?? 0);

/**
 * Whether a failed COMMIT certainly left nothing in the log. The mark of a complete transaction is written last:
 * without space for it, or when its write failed, it is not in the log. After another failure, such as that of a sync,
 * the transaction may still appear after a crash.
 */
export const leftNothing = (error: unknown): boolean =>
  resultCode(error) === sqlite.full || [778, 4874].includes(extendedCode(error) ?? 0);

/** Whether another connection holds the lock: a retry may succeed. */
export const isBusy = (error: unknown): boolean => resultCode(error) === sqlite.busy;

/** Whether a trigger refused a write: a copy to another storage has begun. */
const isFenced = (error: unknown): boolean => extendedCode(error) === 1811;

/** Whether the database cannot serve: all its statements fail, not only this one. */
export function isOfTheDatabase(error: unknown): boolean {
  if (isFenced(error)) return true;
  const code = resultCode(error);
  return code !== undefined && !ofTheStatement.has(code);
}

/** An error in the calling code of muster, not in the request of a caller. */
export const misuse = (message: string, cause?: unknown): BrokerError =>
  new BrokerError('INTERNAL', message, {}, { cause });

/**
 * The refusal for a failed statement: a BrokerError unchanged, UNAVAILABLE when the database cannot serve, and
 * INTERNAL otherwise.
 */
export function refusal(error: unknown, path: string): BrokerError {
  if (isBrokerError(error)) return error;
  if (isOfTheDatabase(error)) return unavailable(path, error);
  return misuse(`The storage could not execute a statement: ${text(error)}.`, error);
}

/** The refusal when the database cannot serve now. `outcome: 'unknown'`: the written changes may still appear. */
export function unavailable(path: string, cause: unknown, outcome?: 'unknown'): BrokerError {
  const uncertainty = outcome
    ? ' The change is not visible, but may appear after a crash: repeat the call with the same Idempotency-Key.'
    : '';
  const message = `The database ${path} cannot serve: ${advice(cause, path)}${uncertainty}`;
  return new BrokerError('UNAVAILABLE', message, outcome ? { outcome } : {}, { cause });
}

export const closed = (path: string): BrokerError => new BrokerError('UNAVAILABLE', `The database ${path} is closed.`);

export const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The advice for a damaged database. */
export const damageAdvice = (path: string): string =>
  `\`muster storage check\` reports what is damaged; stop muster and replace ${path} with a backup`;

function advice(cause: unknown, path: string): string {
  if (isFenced(cause)) return `${text(cause)}.`;
  switch (resultCode(cause)) {
    case sqlite.busy:
      return 'another process holds its lock. Try again later.';
    case sqlite.full:
      return `the disk is full${freeSpace(path)}. Free some space; muster continues by itself.`;
    case sqlite.readOnly:
    case sqlite.perm:
      return `it is read-only (${sqliteMessage(cause)}). Make the file and its directory writable; muster continues by itself.`;
    case sqlite.io:
      return `reading or writing failed (${sqliteMessage(cause)}${freeSpace(path)}). Check the disk, the quotas and the rights on the file; muster continues by itself.`;
    case sqlite.corrupt:
    case sqlite.notADatabase:
      return `it is damaged (${sqliteMessage(cause)}). ${damageAdvice(path)}.`;
    default:
      return `${sqliteMessage(cause)}. Check the disk and the rights on the file, then try again.`;
  }
}

/** The message of SQLite, with the name of its extended code if known. */
export function sqliteMessage(cause: unknown): string {
  const name = extended[extendedCode(cause) ?? 0];
  return name === undefined ? text(cause) : `${text(cause)}, ${name}`;
}

/** The free space on the disk, as the operating system reports it. */
export function freeSpace(path: string): string {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return `; ${Math.floor((bavail * bsize) / 1024)} KiB are free there`;
  } catch {
    return '';
  }
}
