import { BrokerError, isBrokerError } from '../../core/index.ts';

/** Primary result codes of SQLite that are told apart here. */
export const sqlite = {
  error: 1,
  busy: 5,
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

/** SQLite's primary result code; undefined for errors of other origin. */
export function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Another connection holds the lock: worth another try. */
export const isBusy = (error: unknown): boolean => resultCode(error) === sqlite.busy;

/** The database cannot serve: not only this statement but everything around it fails. */
export function isOfTheDatabase(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && !ofTheStatement.has(code);
}

/** A mistake of the calling code, not of a caller. */
export const misuse = (message: string, cause?: unknown): BrokerError => new BrokerError('INTERNAL', message, {}, { cause });

/** The refusal that stands for a failure of a statement: its own, UNAVAILABLE when the database cannot serve, else INTERNAL. */
export function refusal(error: unknown, path: string): BrokerError {
  if (isBrokerError(error)) return error;
  if (isOfTheDatabase(error)) return unavailable(path, error);
  return misuse(`The storage could not do this: ${text(error)}.`, error);
}

/** The database cannot serve now. `outcome: 'unknown'` when what was written may yet appear. */
export function unavailable(path: string, cause: unknown, outcome?: 'unknown'): BrokerError {
  const message = `The database ${path} cannot serve: ${advice(cause)}`;
  return new BrokerError('UNAVAILABLE', message, outcome ? { outcome } : {}, { cause });
}

export const closed = (path: string): BrokerError => new BrokerError('UNAVAILABLE', `The database ${path} is closed.`);

export const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function advice(cause: unknown): string {
  switch (resultCode(cause)) {
    case sqlite.busy:
      return 'another process keeps it locked. Try again later.';
    case sqlite.full:
      return 'the disk is full. Make room and try again.';
    case sqlite.corrupt:
    case sqlite.notADatabase:
      return 'it is damaged. Stop muster and restore it from a backup.';
    default:
      return `${text(cause)}. See to the disk and to the rights on the file, then try again.`;
  }
}
