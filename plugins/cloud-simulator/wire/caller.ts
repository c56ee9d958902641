import { createHash } from 'node:crypto';
import { AwsError } from './errors.ts';

/** Who calls, read from the credential scope of the signature. The signature itself is not checked. */
export interface Caller {
  readonly accessKey: string;
  /** Twelve digits that follow from the access key alone, so that a key finds its state again after a restart. */
  readonly account: string;
  readonly region: string;
}

const scope = /Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request/;
const accounts = new Map<string, string>();

/** Reads the `Authorization` header; refuses the call with AuthFailure when it does not name a key and a region. */
export function readCaller(authorization: string | undefined): Caller {
  const found = authorization === undefined ? null : scope.exec(authorization);
  if (found === null) throw new AwsError('AuthFailure', 'AWS was not able to validate the provided access credentials');
  const accessKey = found[1] as string;
  return { accessKey, account: accountOf(accessKey), region: found[3] as string };
}

/** The account number of an access key. */
export function accountOf(accessKey: string): string {
  const known = accounts.get(accessKey);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(accessKey).digest();
  const account = String(100_000_000_000 + (digest.readUIntBE(0, 6) % 900_000_000_000));
  accounts.set(accessKey, account);
  return account;
}
