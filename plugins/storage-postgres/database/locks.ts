import { createHash } from 'node:crypto';

/**
 * Two transactions must not both count and then both write. A commit with a bound locks a name until it is durable:
 * all locks of a group are taken before its first count, in ascending order, so that groups cannot block each other.
 */
export const locking = 'SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS k';

/** The number of a lock. Locks belong to the whole database, so that the schema is part of the name. */
export function lockNumber(schema: string, ...name: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([schema, ...name]))
    .digest()
    .readBigInt64BE()
    .toString();
}

/**
 * The lock of a check. Facts share some locks: a commit may check thousands of facts, and the locks of a server are
 * few.
 */
export const checkLock = (schema: string, ...fact: readonly string[]): string =>
  lockNumber(schema, 'check', String(BigInt(lockNumber(schema, ...fact)) & 63n));
