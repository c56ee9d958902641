import { createHash } from 'node:crypto';
import { AwsError } from './errors.ts';
import { accountOfSessionKey } from './session-key.ts';

/** The caller, read from the credential scope of the signature. The signature itself is not checked. */
export interface Caller {
  readonly accessKey: string;
  /** Twelve digits derived from the access key, so that a key has the same account after a restart. */
  readonly account: string;
  readonly region: string;
  /** The date of the signature; undefined if absent. */
  readonly signedAt: number | undefined;
}

/** The headers that identify a caller. */
export interface CallerHeaders {
  readonly authorization?: string | undefined;
  readonly 'x-amz-date'?: string | string[] | undefined;
}

const scope = /Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request/;
const accounts = new Map<string, string>();

/** Reads the headers of a call; throws AuthFailure if they do not name a key and a region. */
export function readCaller(headers: CallerHeaders): Caller {
  const found = headers.authorization === undefined ? null : scope.exec(headers.authorization);
  if (found === null)
    throw new AwsError('AuthFailure', 'AWS was not able to validate the provided access credentials');
  const accessKey = found[1] as string;
  return {
    accessKey,
    account: accountOf(accessKey),
    region: found[3] as string,
    signedAt: readDate(headers['x-amz-date']),
  };
}

/** The account number of an access key; for keys of AssumeRole, the account of the role. */
export function accountOf(accessKey: string): string {
  const known = accounts.get(accessKey);
  if (known !== undefined) return known;
  const account = accountOfSessionKey(accessKey) ?? accountByDigest(accessKey);
  accounts.set(accessKey, account);
  return account;
}

function accountByDigest(accessKey: string): string {
  const digest = createHash('sha256').update(accessKey).digest();
  return String(100_000_000_000 + (digest.readUIntBE(0, 6) % 900_000_000_000));
}

/** Parses a time such as `20260101T000000Z`. */
function readDate(text: string | string[] | undefined): number | undefined {
  const found = typeof text === 'string' ? /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) : null;
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
