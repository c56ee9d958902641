import { BrokerError, isBrokerError } from '../../../core/index.ts';
import { FlightError, sqlState } from '../connections/connection.ts';

/** States of PostgreSQL that this plugin distinguishes. */
export const states = {
  uniqueViolation: '23505',
  /** Raised by the function `refuse` of the schema. */
  refused: 'MU001',
  lockTimeout: '55P03',
  statementTimeout: '57014',
  readOnly: '25006',
  noRights: '42501',
  aborted: '25P02',
  noDatabase: '3D000',
  /** A copy to another storage has begun: raised by the triggers of `transfer/marks.ts`. */
  fenced: 'MU002',
};

/**
 * The transaction was chosen as the victim of a conflict, or a pooler confused its prepared statements: nothing is
 * written, and a repetition may succeed.
 */
const conflicts = new Set(['40001', '40P01', '26000', '42P05']);
/** The tables or functions of muster are not there. */
const missing = new Set(['3F000', '42P01', '42703', '42883', '3D000']);
/** Classes in which the database cannot serve: connection, authorization, resources, operator, system, internal. */
const classes = new Set(['08', '28', '53', '57', '58', 'XX', 'F0']);

/** The error behind a failed flight. */
export const causeOf = (error: unknown): unknown => (error instanceof FlightError ? error.cause : error);

export const isConflict = (error: unknown): boolean => conflicts.has(sqlState(causeOf(error)) ?? '');

/** Whether others held a lock for longer than a statement waits for it: its transaction wrote nothing. */
export const isLockTimeout = (error: unknown): boolean => sqlState(causeOf(error)) === states.lockTimeout;

/** Whether the database cannot serve: all its statements fail, not only this one. */
export function isOfTheDatabase(error: unknown): boolean {
  if (isBrokerError(error)) return false;
  const cause = causeOf(error);
  const state = sqlState(cause);
  // Without a state it is a failure of the connection, unless it is a fault of this program.
  if (state === undefined)
    return !(cause instanceof TypeError || cause instanceof RangeError || cause instanceof ReferenceError);
  const { readOnly, noRights, lockTimeout, fenced } = states;
  return (
    [readOnly, noRights, lockTimeout, fenced, '25P03'].includes(state) ||
    missing.has(state) ||
    classes.has(state.slice(0, 2))
  );
}

/**
 * Whether the database is absent and may come by itself: nothing listens, its name is not known yet, it starts or
 * stops, or it has no free connection.
 */
export function isAbsence(error: unknown): boolean {
  const cause = causeOf(error);
  const state = sqlState(cause);
  if (state !== undefined) return state.startsWith('57P') || state.startsWith('08') || state === '53300';
  const { code, errors } = (cause ?? {}) as { readonly code?: unknown; readonly errors?: readonly unknown[] };
  if (errors?.[0] !== undefined) return errors.every(isAbsence);
  return typeof code === 'string'
    ? absent.has(code)
    : isOfTheDatabase(error) && !isTls(cause) && !lacksPassword(cause);
}

const absent = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN ENOENT'.split(' '),
);

/** An error in the calling code of muster, not in the request of a caller. */
export const misuse = (message: string, cause?: unknown): BrokerError =>
  new BrokerError('INTERNAL', message, {}, { cause });

/**
 * The refusal for a failed statement: a BrokerError unchanged, UNAVAILABLE when the database cannot serve, and
 * INTERNAL otherwise.
 */
export function refusal(error: unknown, place: string): BrokerError {
  if (isBrokerError(error)) return error;
  if (isOfTheDatabase(error) || isConflict(error)) return unavailable(place, error);
  return misuse(`The storage could not execute a statement: ${text(causeOf(error))}.`, causeOf(error));
}

/** The refusal when the database cannot serve now. `outcome: 'unknown'`: the changes may be written. */
export function unavailable(place: string, cause: unknown, outcome?: 'unknown'): BrokerError {
  const uncertainty = outcome
    ? ' The change may be written, or not: repeat the call with the same Idempotency-Key.'
    : '';
  const message = `The database ${place} cannot serve: ${advice(causeOf(cause))}${uncertainty}`;
  const details = { ...(outcome ? { outcome } : {}), ...(isAbsence(cause) ? { absent: true } : {}) };
  return new BrokerError('UNAVAILABLE', message, details, { cause: causeOf(cause) });
}

export const closed = (place: string): BrokerError =>
  new BrokerError('UNAVAILABLE', `The database ${place} is closed.`);

export const text = (error: unknown): string => (error instanceof Error ? error.message || error.name : String(error));

/** What to do about a failure. */
export function advice(cause: unknown): string {
  const state = sqlState(cause) ?? '';
  if (state === '' && isTls(cause)) return tlsAdvice(cause);
  if (state === '' && lacksPassword(cause))
    return "it asks for a password, and none is given. Set it in 'storage.url' (MUSTER_STORAGE_URL), in PGPASSWORD or in ~/.pgpass.";
  if (state === '')
    return `there is no connection (${connectionFailure(cause)}). A server continues by itself when it is back.`;
  if (state === states.readOnly)
    return 'it is read-only: a standby, or a server that is switched over. Connect to the primary.';
  if (state === states.fenced) return `${text(cause)}.`;
  if (state === states.lockTimeout || conflicts.has(state))
    return `other transactions hold its locks (${text(cause)}). Try again later.`;
  if (state === states.statementTimeout) return 'a statement took too long. Try again later.';
  if (state === states.noRights && text(cause).includes('for database'))
    return `${text(cause)}. Let its owner make the schema for this user, such as CREATE SCHEMA muster AUTHORIZATION muster, or GRANT CREATE ON DATABASE.`;
  if (state === states.noRights) return `${text(cause)}. Give the user the rights on the schema and its tables.`;
  if (state === states.noDatabase)
    return `${text(cause)}. Create it, owned by the user of muster, or correct 'storage.url' or PGDATABASE.`;
  if (missing.has(state))
    return `${text(cause)}. The tables of muster were removed or changed: restore them, or restart muster to begin empty.`;
  if (state.startsWith('28') && /no encryption|SSL off/.test(text(cause)))
    return `${text(cause)}. Set 'storage.tls', or add ?sslmode=verify-full to the URL: it may accept only encrypted connections.`;
  if (state.startsWith('28'))
    return `${text(cause)}. Correct the user or the password in 'storage.url' or in PGUSER and PGPASSWORD.`;
  if (state === '53100') return 'its disk is full. Free some space; muster continues by itself.';
  if (state === '53300')
    return `it has no free connection (${text(cause)}). Lower 'storage.pool', or raise max_connections.`;
  return `${text(cause)}. A server continues by itself when it is back.`;
}

/** Whether the database asked for a password and there is none. The library reports it without a code. */
const lacksPassword = (cause: unknown): boolean => /password must be a string/.test(text(cause));

/** What to do when the encryption of the connection fails. */
function tlsAdvice(cause: unknown): string {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  if (/does not support SSL/.test(text(cause)))
    return "it does not support TLS. Turn on 'ssl' in the server, or remove 'storage.tls' and 'sslmode' if the network is trusted.";
  const reason = typeof code === 'string' && !text(cause).includes(code) ? `${code}: ${text(cause)}` : text(cause);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is for another name (${reason}). Name the host in 'storage.url' as the certificate does.`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `its certificate is not valid now (${reason}). Renew it, or correct the clock of this host.`;
  return `its certificate is not trusted (${reason}). Set 'storage.tls.ca_file' to the certificate authority of the server, as PEM.`;
}

/** Whether the connection failed because it is to be encrypted. */
function isTls(cause: unknown): boolean {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return (
    /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|HOSTNAME)/.test(String(code)) ||
    /SSL/.test(text(cause))
  );
}

function connectionFailure(cause: unknown): string {
  const { code, errors } = (cause ?? {}) as { readonly code?: unknown; readonly errors?: readonly unknown[] };
  // A host with several addresses fails with one error for each.
  if (errors?.[0] !== undefined) return connectionFailure(errors[0]);
  return typeof code === 'string' && !text(cause).includes(code) ? `${code}: ${text(cause)}` : text(cause);
}
