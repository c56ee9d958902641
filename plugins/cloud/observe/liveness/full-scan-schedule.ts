import { createHash } from 'node:crypto';
import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';

/** Between two full scans of an attempt of which otherwise only the liveness is seen. */
const everyMs = 600_000;

/**
 * When attempts were last asked for by their tags. Each has its own time in every ten minutes, derived from its name,
 * so that they do not come all at once. The first look in a process is no full scan: a restart would describe
 * everything, and its sweep lists all that is tagged anyway. /
 */
export interface FullScanSchedule {
  /** Whether the attempt is to be scanned now. */
  due(attempt: string): boolean;
  /** Notes that the attempt was scanned. */
  done(attempt: string): void;
}

interface LastScan {
  readonly phase: number;
  readonly at: number;
}

/** By attempt. */
const lastScans = sessionField(() => new Map<string, LastScan>());

export function fullScanSchedule(session: CloudSession): FullScanSchedule {
  const last = lastScans(session);
  const now = session.clock.monotonic();
  return {
    due(attempt) {
      const before = last.get(attempt);
      if (before === undefined) last.set(attempt, { phase: phaseOf(attempt), at: now });
      return before !== undefined && turns(before.phase, now) > turns(before.phase, before.at);
    },
    done(attempt) {
      const { phase } = last.get(attempt) ?? { phase: phaseOf(attempt) };
      // Behind all others, so that the first is the one that was looked at longest ago.
      last.delete(attempt);
      last.set(attempt, { phase, at: now });
      for (const [key, { at }] of last) {
        if (now - at <= 3 * everyMs) break;
        last.delete(key);
      }
    },
  };
}

/** How many scans have come due until then. */
const turns = (phase: number, at: number): number => Math.floor((at - phase) / everyMs);

const phaseOf = (attempt: string): number => createHash('sha1').update(attempt).digest().readUInt32BE() % everyMs;
