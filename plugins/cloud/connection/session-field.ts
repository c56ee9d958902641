import type { CloudSession } from './session.ts';

/**
 * A typed field of every session, declared by the file that reads it: made when a session is first asked for it, and
 * gone with the session. It holds what was learned of the cloud; nothing of it is stored.
 *
 * ```ts
 * const zonesField = sessionField(() => new Map<string, readonly string[]>());
 * zonesField(session).get('us-east-1');
 * ```
 * /
 */
export function sessionField<T extends object>(make: () => T): (session: CloudSession) => T {
  const values = new WeakMap<CloudSession, T>();
  return (session) => {
    const known = values.get(session);
    if (known !== undefined) return known;
    const made = make();
    values.set(session, made);
    return made;
  };
}
