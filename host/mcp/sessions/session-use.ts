/** The use of a session. */
export interface SessionUse {
  /** The client of the session. */
  readonly client: string;
  /** Number of open calls. */
  calls: number;
  /**
   * Number of open streams. Between call and answer the server only sends over them that a resource changed, so a
   * client that loses one reads the resource again.
   */
  streams: number;
  /** When the last call or stream ended, in monotonic milliseconds. */
  used: number;
}

/** Milliseconds after which an idle session is dropped; its client must start a new one. */
const idleMs = 30 * 60_000;
export const maxSessions = 1_000;

/**
 * Returns the sessions to drop before a new one of `client`: sessions that were idle too long; and at the limit, one
 * session of the client with the most, so that no client can hold all of them: its least recently used one without a
 * call. A session with a call is dropped only when its client holds more than half of all sessions and another client
 * asks.
 */
export function evictableSessions<S extends Readonly<SessionUse>>(
  sessions: ReadonlyMap<string, S>,
  now: number,
  client: string,
  limit = maxSessions,
): readonly [string, S][] {
  const all = [...sessions];
  const idle = all.filter(([, { calls, streams, used }]) => calls + streams === 0 && now - used > idleMs);
  if (all.length - idle.length < limit) return idle;
  const groups = [...Map.groupBy(all, ([, session]) => session.client)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  for (const [holder, held] of groups) {
    const byUse = held.toSorted(([, a], [, b]) => a.used - b.used);
    const busy = holder !== client && held.length > limit / 2 ? byUse[0] : undefined;
    const evicted = byUse.find(([, { calls }]) => calls === 0) ?? busy;
    if (evicted) return [...idle, evicted];
  }
  return idle;
}
