import { createHash } from 'node:crypto';
import type { CloudSession } from '../../connection/session.ts';
import { sessionField } from '../../connection/session-field.ts';

/** The time between two full scans of an attempt whose machines are otherwise only checked for liveness. */
const scanIntervalMs = 600_000;

/**
 * When attempts were last searched by their tags. Each attempt has its own time in every ten minutes, derived from its
 * name, so that the scans are spread. The first observation of a process is no full scan: a restart would describe all
 * machines, and its sweep lists all tagged machines anyway.
 */
export interface FullScanSchedule {
  /** Whether a full scan of the attempt is due now. */
  due(attempt: string): boolean;
  /** Notes that the attempt was scanned. */
  done(attempt: string): void;
}

interface LastScan {
  readonly phase: number;
  readonly at: number;
}

const lastScans = sessionField(() => new Map<string, LastScan>());

export function fullScanSchedule(session: CloudSession): FullScanSchedule {
  const last = lastScans(session);
  const now = session.clock.monotonic();
  return {
    due(attempt) {
      const before = last.get(attempt);
      if (before === undefined) last.set(attempt, { phase: phaseOf(attempt), at: now });
      return before !== undefined && scansDue(before.phase, now) > scansDue(before.phase, before.at);
    },
    done(attempt) {
      const { phase } = last.get(attempt) ?? { phase: phaseOf(attempt) };
      // Moves the attempt to the end: the map is ordered by the time of the scan.
      last.delete(attempt);
      last.set(attempt, { phase, at: now });
      for (const [key, { at }] of last) {
        if (now - at <= 3 * scanIntervalMs) break;
        last.delete(key);
      }
    },
  };
}

/** How many scans became due until `at`. */
const scansDue = (phase: number, at: number): number => Math.floor((at - phase) / scanIntervalMs);

const phaseOf = (attempt: string): number =>
  createHash('sha1').update(attempt).digest().readUInt32BE() % scanIntervalMs;
