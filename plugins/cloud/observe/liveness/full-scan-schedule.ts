import { createHash } from 'node:crypto';
import type { CloudSession } from '../../connection/session.ts';

/** Between two looks at everything of an attempt of which else only the life is seen. */
const everyMs = 600_000;

/**
 * When attempts were last asked for by their tags. Each has its own moment in every ten minutes, worked out of its name, so that they do not come
 * all at once. The first look in a process is no full one: a restart would describe everything, and its sweep lists all that is tagged anyway.
 */
export interface FullScanSchedule {
  due(attempt: string): boolean;
  done(attempt: string): void;
}

interface Last {
  readonly phase: number;
  readonly at: number;
}

export function fullScanSchedule({ memory, clock }: CloudSession): FullScanSchedule {
  const last = (memory.get('full looks') ?? new Map()) as Map<string, Last>;
  memory.set('full looks', last);
  const now = clock.monotonic();
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

/** How often a moment has come until then. */
const turns = (phase: number, at: number): number => Math.floor((at - phase) / everyMs);

const phaseOf = (attempt: string): number => createHash('sha1').update(attempt).digest().readUInt32BE() % everyMs;
