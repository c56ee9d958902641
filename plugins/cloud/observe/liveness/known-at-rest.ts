import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';

/** How long the number of machines in a zone is valid. */
export const countValidMs = 600_000;

interface AtRest {
  readonly at: number;
  readonly zones: ReadonlyMap<string, number>;
}

/** By attempt; the last observed one is last. */
const attempts = sessionField(() => new Map<string, AtRest>());

/** Notes how many machines at rest an attempt has in each zone. */
export function noteAtRest(session: CloudSession, attempt: string, zones: ReadonlyMap<string, number>): void {
  const known = attempts(session);
  const at = session.clock.monotonic();
  known.delete(attempt);
  known.set(attempt, { at, zones });
  for (const [name, { at: noted }] of known) {
    if (at - noted <= countValidMs) return;
    known.delete(name);
  }
}

/**
 * The machines of all attempts that were observed at rest lately, by zone: at least so many run there. Only a part of
 * the attempts may be observed at a time.
 */
export function knownAtRest(session: CloudSession): ReadonlyMap<string, number> {
  const now = session.clock.monotonic();
  const all = new Map<string, number>();
  for (const { at, zones } of attempts(session).values())
    if (now - at <= countValidMs) for (const [zone, count] of zones) all.set(zone, (all.get(zone) ?? 0) + count);
  return all;
}
