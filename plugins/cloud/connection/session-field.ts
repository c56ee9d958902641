import type { CloudSession } from './session.ts';

/**
 * A typed field of every session, declared by the file that uses it. The value is created at its first use and lives
 * as long as the session. It holds knowledge about the cloud in memory; none of it is stored.
 *
 * ```ts
 * const zonesField = sessionField(() => new Map<string, readonly string[]>());
 * zonesField(session).get('us-east-1');
 * ```
 */
export function sessionField<T extends object>(make: (session: CloudSession) => T): (session: CloudSession) => T {
  const values = new WeakMap<CloudSession, T>();
  return (session) => {
    const known = values.get(session);
    if (known !== undefined) return known;
    const made = make(session);
    values.set(session, made);
    return made;
  };
}
