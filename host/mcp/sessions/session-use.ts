/** How a session is used. */
export interface SessionUse {
  /** Whose it is. */
  readonly client: string;
  /** Calls that are under way. */
  calls: number;
  /**
   * Streams that are open: nothing is told over them between question and answer, so whoever loses one loses nothing.
   */
  streams: number;
  /** When its last call or stream ended. Monotonic milliseconds. */
  used: number;
}

/** A client that has gone without a word is forgotten after this; one that comes back begins anew. */
const idleMs = 30 * 60_000;
export const mostSessions = 1_000;

/**
 * Which sessions make room for one of `client`: those that have been idle too long; and where there would be too many,
 * one of the client that has the most, so that no one holds them all: the longest unused one without a call. One with
 * a call goes only where its client holds more than half of all, and another asks. /
 */
export function forgettable<S extends Readonly<SessionUse>>(
  sessions: ReadonlyMap<string, S>,
  now: number,
  client: string,
  most = mostSessions,
): readonly [string, S][] {
  const all = [...sessions];
  const idle = all.filter(([, { calls, streams, used }]) => calls + streams === 0 && now - used > idleMs);
  if (all.length - idle.length < most) return idle;
  const groups = [...Map.groupBy(all, ([, session]) => session.client)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  for (const [holder, held] of groups) {
    const byUse = held.toSorted(([, a], [, b]) => a.used - b.used);
    const busy = holder !== client && held.length > most / 2 ? byUse[0] : undefined;
    const victim = byUse.find(([, { calls }]) => calls === 0) ?? busy;
    if (victim) return [...idle, victim];
  }
  return idle;
}
