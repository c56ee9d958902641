import type { Dice } from '../support/dice.ts';
import type { Attack } from '../campaign/kill-point.ts';

/** What ends or stops a broker in one of its lives, and what else is wrong with that life. */
export interface Fate {
  readonly attack: Pick<Attack, 'call' | 'commit' | 'part' | 'freezes'>;
  /** Its clock is wrong by so many milliseconds. */
  readonly set_by: number;
  readonly told: string;
}

const tenMinutes = 600_000;

/** By chance: most brokers die, and some are stopped for longer than a lease. */
export function fateBy(chance: Dice): Fate {
  const freezes = chance.roll(3) === 0;
  const how = freezes ? { freezes } : {};
  const word = freezes ? 'stopped' : 'killed';
  const set_by = chance.pick([0, 0, tenMinutes, -tenMinutes]);
  const at = chance.pick(['call', 'call', 'commit', 'commit', 'commit', 'part', 'rest'] as const);
  if (at === 'rest') return { attack: {}, set_by, told: 'at any moment' };
  if (at === 'call') {
    const effect = chance.pick(['execute', 'skip'] as const);
    const call = { at, nth: 1 + chance.roll(12), effect };
    return { attack: { call, ...how }, set_by, told: `${word} in a call (${effect})` };
  }
  const phase = chance.pick(['before', 'sent', 'after'] as const);
  if (at === 'part') {
    const part = { at, nth: 1 + chance.roll(4), phase: phase === 'sent' ? 'before' : phase } as const;
    return { attack: { part, ...how }, set_by, told: `${word} ${part.phase} a part` };
  }
  const thread = chance.pick(['loop', 'loop', 'loop', 'interfaces'] as const);
  const nth = 1 + chance.roll(thread === 'loop' ? 30 : 4);
  const commit = { at, nth, thread, phase };
  return { attack: { commit, ...how }, set_by, told: `${word} ${phase} a commit of ${thread}` };
}

/** What goes wrong with the database and the ways to it. */
export const databaseFaults = ['stopped', 'cut', 'silent', 'mute', 'newer'] as const;
export type DatabaseFault = (typeof databaseFaults)[number];

export const databaseFaultBy = (chance: Dice): DatabaseFault =>
  chance.pick(['stopped', 'cut', 'cut', 'silent', 'mute', 'newer']);
