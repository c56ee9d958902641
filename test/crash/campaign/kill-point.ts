import type { FastClock } from './fast-clock.ts';

export const threads = ['interfaces', 'loop'] as const;

/** A moment in the life of a broker, counted from its start. */
export type KillPoint =
  /** While its n-th call to the cloud is under way, which took effect there or did not. */
  | { readonly at: 'call'; readonly nth: number; readonly effect: 'execute' | 'skip' }
  /** Just before or just after the n-th commit of one of its threads is durable. */
  | {
      readonly at: 'commit';
      readonly nth: number;
      readonly thread: (typeof threads)[number];
      /** `sent`: on its way to a database server, and not answered. */
      readonly phase: 'before' | 'sent' | 'after';
    }
  /**
   * Just before or just after the n-th part of a large change is durable, which its loop writes in several commits.
   */
  | { readonly at: 'part'; readonly nth: number; readonly phase: 'before' | 'after' };

/** A commit that writes so many machines is a part of a large change: half of the rows that one may write. */
export const partMachines = 50;

/** What `attack.ts` reads from the environment of a broker. */
export interface Attack {
  readonly clock?: FastClock;
  /** A name: it is to believe that it runs on a host of this name, and that of other names nothing is known. */
  readonly host?: string;
  readonly storage?: 'sqlite' | 'postgres';
  /** While its n-th call is under way: it was not sent, or its answer is here. */
  readonly call?: Extract<KillPoint, { readonly at: 'call' }>;
  readonly commit?: Extract<KillPoint, { readonly at: 'commit' }>;
  readonly part?: Extract<KillPoint, { readonly at: 'part' }>;
  /** It is stopped at that moment, and may go on later; absent: it is killed. */
  readonly freezes?: boolean;
  /** Where the numbers of commits are written, a file for each thread. */
  readonly counts?: string;
}

/**
 * Which moments the brokers of a play are killed at, one after the other: the first broker at the `first`, each later
 * one `every` so many further on.
 */
export interface Schedule {
  readonly at: 'call' | 'interfaces' | 'loop' | 'part';
  readonly first: number;
  readonly every: number;
  /** Of a call: it took effect. Of a commit, or of a part: it was durable. */
  readonly done: boolean;
}

export function pointOf({ at, first, every, done }: Schedule, life: number): KillPoint {
  const nth = life === 0 ? first : every;
  if (at === 'call') return { at, nth, effect: done ? 'execute' : 'skip' };
  if (at === 'part') return { at, nth, phase: done ? 'after' : 'before' };
  return { at: 'commit', nth, thread: at, phase: done ? 'after' : 'before' };
}

/** Every call and every commit of a workload is met once by the schedules with all `first` from 1 to `every`. */
export function schedules(every: number): readonly Schedule[] {
  return (['call', 'loop', 'interfaces'] as const).flatMap((at) => {
    // An interface commits once for each caller; a loop many times.
    const step = at === 'interfaces' ? Math.ceil(every / 3) : every;
    return Array.from({ length: step }, (_, i) => i + 1).flatMap((first) =>
      [true, false].map((done) => ({ at, first, every: step, done })),
    );
  });
}

/**
 * Each part of the first few is met, from whichever the last broker left off at: one broker after the other dies at
 * its first part, or comes a few parts further each time.
 */
export const partSchedules: readonly Schedule[] = [
  [1, 1],
  [2, 1],
  [1, 2],
  [3, 2],
  [5, 3],
].flatMap(([first = 1, every = 1]) => [true, false].map((done) => ({ at: 'part' as const, first, every, done })));

export const told = ({ at, first, every, done }: Schedule): string =>
  `${at} ${first} and every ${every} from there, ${at === 'call' ? (done ? 'carried out' : 'not carried out') : done ? 'durable' : 'not yet durable'}`;
