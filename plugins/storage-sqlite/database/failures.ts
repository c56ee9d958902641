import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { BrokerError, isBrokerError } from '../../../core/index.ts';

/** Primary result codes of SQLite that are told apart here. */
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

// Faults of one statement: the transaction around it is sound and its neighbours may go on.
const ofTheStatement = new Set([sqlite.error, sqlite.tooBig, sqlite.constraint, sqlite.mismatch, sqlite.range]);

/** What went wrong with a file, by SQLite's extended codes: the system's own error is not passed on. */
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

/** SQLite's primary result code; undefined for errors of other origin. */
export function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** A document that cannot be read back: what lies in the file is not what was put there. */
export class Damaged extends Error {
  readonly errcode = sqlite.corrupt;
}

/** Nothing heals it but a backup. */
export const isDamage = (error: unknown): boolean =>
  [sqlite.corrupt, sqlite.notADatabase].includes(resultCode(error) ?? 0);

/**
 * Whether a COMMIT that failed certainly left nothing behind. What marks a transaction as whole is written last: where
 * there was no room for it, or it could not be written, it is not in the log. After another failure, that of a sync
 * above all, a crash may still bring it to life. /
 */
export const leftNothing = (error: unknown): boolean =>
  resultCode(error) === sqlite.full || [778, 4874].includes(extendedCode(error) ?? 0);

/** Another connection holds the lock: worth another try. */
export const isBusy = (error: unknown): boolean => resultCode(error) === sqlite.busy;

/** The database cannot serve: not only this statement but everything around it fails. */
export function isOfTheDatabase(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && !ofTheStatement.has(code);
}

/** A mistake of the calling code, not of a caller. */
export const misuse = (message: string, cause?: unknown): BrokerError =>
  new BrokerError('INTERNAL', message, {}, { cause });

/**
 * The refusal that stands for a failure of a statement: its own, UNAVAILABLE when the database cannot serve, else
 * INTERNAL.
 */
export function refusal(error: unknown, path: string): BrokerError {
  if (isBrokerError(error)) return error;
  if (isOfTheDatabase(error)) return unavailable(path, error);
  return misuse(`The storage could not do this: ${text(error)}.`, error);
}

/** The database cannot serve now. `outcome: 'unknown'` when what was written may yet appear. */
export function unavailable(path: string, cause: unknown, outcome?: 'unknown'): BrokerError {
  const doubt = outcome
    ? ' What was to be changed is not there, but may be after a crash: repeat it under the same Idempotency-Key.'
    : '';
  const message = `The database ${path} cannot serve: ${advice(cause, path)}${doubt}`;
  return new BrokerError('UNAVAILABLE', message, outcome ? { outcome } : {}, { cause });
}

export const closed = (path: string): BrokerError => new BrokerError('UNAVAILABLE', `The database ${path} is closed.`);

export const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What to do about a database that is damaged. */
export const damageAdvice = (path: string): string =>
  `\`muster storage check\` says what is hit; stop muster and put a backup in the place of ${path}`;

function advice(cause: unknown, path: string): string {
  switch (resultCode(cause)) {
    case sqlite.busy:
      return 'another process keeps it locked. Try again later.';
    case sqlite.full:
      return `the disk is full${room(path)}. Make room; muster goes on by itself.`;
    case sqlite.readOnly:
    case sqlite.perm:
      return `it is read-only (${said(cause)}). Make the file and its directory writable; muster goes on by itself.`;
    case sqlite.io:
      return `reading or writing failed (${said(cause)}${room(path)}). See to the disk, to quotas and to the rights on the file; muster goes on by itself.`;
    case sqlite.corrupt:
    case sqlite.notADatabase:
      return `it is damaged (${said(cause)}). ${damageAdvice(path)}.`;
    default:
      return `${said(cause)}. See to the disk and to the rights on the file, then try again.`;
  }
}

/** What SQLite said, with the name of the case where it has one. */
export function said(cause: unknown): string {
  const name = extended[extendedCode(cause) ?? 0];
  return name === undefined ? text(cause) : `${text(cause)}, ${name}`;
}

/** What the system says of the room that there is. */
export function room(path: string): string {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return `; ${Math.floor((bavail * bsize) / 1024)} KiB are free there`;
  } catch {
    return '';
  }
}
