import type { Clock } from '../../core/contract/clock.ts';
import type { Log } from '../../core/contract/log.ts';

/** How often the time of the storage is asked for, while the clock is in use. */
const followMs = 10_000;
/** The wall clock of this host was set, or the host was suspended: the storage is asked at once. */
const jumpMs = 1_000;
/** A smaller difference is left: the answer takes time. */
const toleranceMs = 20;

interface Reading {
  /** The time of the storage minus the wall clock of this host. */
  readonly offset: number;
  readonly wall: number;
  readonly monotonic: number;
}

/**
 * A clock that shows the time of the storage, so that a wrong clock of this host changes no due time, lease or
 * deadline. `now` reads that time. When the clock of this host jumps, the later of both possible times counts until the
 * storage has answered: after a suspension, claims must not seem valid.
 */
export async function storageClock(clock: Clock, now: () => Promise<number>, log: Log): Promise<Clock> {
  let last = await read(clock, now);
  let asking: Promise<void> | undefined;
  const follow = () =>
    (asking ??= read(clock, now)
      .then((next) => {
        const moved = next.offset - last.offset;
        // Else only the drift is measured anew.
        last = Math.abs(moved) > toleranceMs ? next : { ...next, offset: last.offset };
      })
      .catch((error: unknown) =>
        log.debug({ err: error }, 'The time of the storage could not be read; it is read again.'),
      )
      .finally(() => (asking = undefined)));
  return {
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    now() {
      const wall = clock.now();
      const passed = clock.monotonic() - last.monotonic;
      const jump = wall - last.wall - passed;
      if (passed > followMs || Math.abs(jump) > jumpMs) void follow();
      const byWall = wall + last.offset;
      return Math.round(Math.abs(jump) > jumpMs ? Math.max(byWall, byWall - jump) : byWall);
    },
  };
}

async function read(clock: Clock, now: () => Promise<number>): Promise<Reading> {
  const before = clock.monotonic();
  const there = await now();
  const monotonic = clock.monotonic();
  const wall = clock.now();
  // The storage answered in the middle of the call.
  return { offset: there + (monotonic - before) / 2 - wall, wall, monotonic };
}
