import fc from 'fast-check';
import type { FaultKind } from '../../core/index.ts';
import { setups, type Setup } from './setup.ts';
import type { StoreFault, Trap } from './life.ts';

/** What becomes of a launch that does not simply succeed. */
export type LaunchMood = FaultKind | 'part' | 'lost, executed' | 'lost, not executed' | 'never ready';
export type ObserveMood = 'empty' | 'missing' | 'stale' | 'faults' | 'fails';
export type ReleaseMood = 'unavailable' | 'throttled' | 'lost, executed' | 'lost, not executed' | 'not done';
export type ListMood = 'fails' | 'empty';

/**
 * Requests are meant by their age, the youngest being 0; instances and templates by their number. Numbers that are too
 * high begin anew. `by` is one of several brokers that run.
 */
export type Command =
  | { readonly do: 'request'; readonly machines: number; readonly template: number; readonly times: number }
  /** Gives back so many of its machines, from one on; of all requests where `of` is -1. */
  | { readonly do: 'return'; readonly of: number; readonly from: number; readonly machines: number }
  | { readonly do: 'cancel' | 'complete'; readonly of: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'capacity'; readonly at: number; readonly offer: number; readonly free: number | null }
  /** The cloud takes machines away. */
  | { readonly do: 'die'; readonly at: number; readonly from: number; readonly machines: number }
  /** The cloud recommends to replace machines. */
  | { readonly do: 'recommend'; readonly at: number; readonly from: number; readonly machines: number }
  | { readonly do: 'launches'; readonly at: number; readonly mood: LaunchMood; readonly times: number }
  | { readonly do: 'observations'; readonly at: number; readonly mood: ObserveMood; readonly ms: number }
  | { readonly do: 'releases'; readonly at: number; readonly mood: ReleaseMood; readonly times: number }
  | { readonly do: 'listings'; readonly at: number; readonly mood: ListMood; readonly ms: number }
  /** An instance refuses connections. */
  | { readonly do: 'refuse'; readonly at: number; readonly ms: number }
  | { readonly do: 'jump'; readonly ms: number }
  | { readonly do: 'suspend'; readonly ms: number; readonly by?: number }
  /** The lease of a broker ends before its time: others take what it holds, and it does not know. */
  | { readonly do: 'steal'; readonly by: number }
  /** The storage fails so many commits or reads, after so many more that it serves. */
  | {
      readonly do: 'storage';
      readonly of: 'commits' | 'reads';
      readonly fault: StoreFault;
      readonly after: number;
      readonly times: number;
      readonly by?: number;
    }
  /** Notifications of the storage are lost. */
  | { readonly do: 'silence'; readonly ms: number }
  | ({ readonly do: 'kill'; readonly down_ms: number; readonly elsewhere: boolean; readonly by?: number } & Where)
  /** It stands still in the midst of what it does, while another one takes over. */
  | ({ readonly do: 'freeze'; readonly ms: number; readonly by?: number } & Where)
  | {
      readonly do: 'restart';
      readonly elsewhere: boolean;
      readonly change?: ConfigurationChange;
      readonly by?: number;
    };

export type Where = Pick<Trap, 'on' | 'side' | 'executed'> & { readonly nth: number };

export type ConfigurationChange =
  | { readonly at: number; readonly to: 'disabled' | 'enabled' | 'removed' | 'there' }
  | { readonly at: number; readonly to: 'weight'; readonly weight: number }
  | { readonly at: number; readonly to: 'max_concurrent'; readonly max: number | null };

export interface History {
  readonly setup: Setup;
  readonly commands: readonly Command[];
}

const oneOf = <const T>(first: T, ...others: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(first, ...others);
const small = fc.nat({ max: 2 });
const times = oneOf(1, 1, 2, 5, 30);
const shortMs = oneOf(2_000, 10, 8_000, 30_000);
const windowMs = oneOf(5_000, 20_000, 60_000, 400_000);

const where = fc.record<Where>({
  on: oneOf(
    'commit',
    'commit',
    'full commit',
    'full commit',
    'read',
    'launch',
    'launch',
    'observe',
    'release',
    'prepare',
    'dispose',
    'remove',
  ),
  side: oneOf('after', 'after', 'before'),
  executed: oneOf('yes', 'no', 'late'),
  nth: oneOf(1, 1, 2, 3, 5),
});

const change: fc.Arbitrary<ConfigurationChange> = fc.oneof(
  fc.record({ at: small, to: oneOf('disabled', 'enabled', 'removed', 'there') }),
  fc.record({ at: small, to: fc.constant('weight' as const), weight: oneOf(10, 0, 90) }),
  fc.record({ at: small, to: fc.constant('max_concurrent' as const), max: oneOf(1, 2, null) }),
);

const does = <D extends Command['do']>(name: D) => fc.constant(name);

const freeze: fc.Arbitrary<Command> = fc
  .tuple(where, oneOf(5_000, 40_000, 150_000))
  .map(([at, ms]): Command => ({ do: 'freeze', ...at, ms }));

const requestOf = (machines: fc.Arbitrary<number>, times: fc.Arbitrary<number>): fc.Arbitrary<Command> =>
  fc.record({ do: does('request'), machines, template: small, times });

function command(sizes: fc.Arbitrary<number>, several: fc.Arbitrary<number>): fc.Arbitrary<Command> {
  const weigh = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });
  return fc.oneof(
    weigh(8, requestOf(sizes, several)),
    weigh(
      9,
      fc.record({
        do: does('return'),
        of: oneOf(0, 0, 1, -1),
        from: fc.nat({ max: 9 }),
        machines: oneOf(1, 3, 8, 10_000),
      }),
    ),
    weigh(3, fc.record({ do: oneOf('cancel', 'cancel', 'complete'), of: small })),
    weigh(14, fc.record({ do: does('pass'), ms: shortMs })),
    weigh(4, fc.record({ do: does('pass'), ms: oneOf(60_000, 300_000, 7_200_000) })),
    weigh(3, fc.record({ do: does('capacity'), at: small, offer: small, free: oneOf(null, 0, 3) })),
    weigh(3, fc.record({ do: does('die'), at: small, from: fc.nat({ max: 9 }), machines: oneOf(1, 2, 10_000) })),
    weigh(5, fc.record({ do: does('recommend'), at: small, from: fc.nat({ max: 9 }), machines: oneOf(1, 2, 10_000) })),
    weigh(
      6,
      fc.record({
        do: does('launches'),
        at: small,
        mood: oneOf<LaunchMood>(
          'part',
          'lost, executed',
          'lost, executed',
          'lost, not executed',
          'capacity',
          'unavailable',
          'throttled',
          'quota',
          'credentials',
          'gone',
          'invalid',
          'never ready',
        ),
        times,
      }),
    ),
    weigh(
      5,
      fc.record({
        do: does('observations'),
        at: small,
        mood: oneOf('empty', 'empty', 'missing', 'stale', 'faults', 'fails'),
        ms: windowMs,
      }),
    ),
    weigh(
      3,
      fc.record({
        do: does('releases'),
        at: small,
        mood: oneOf('unavailable', 'throttled', 'lost, executed', 'lost, not executed', 'not done'),
        times,
      }),
    ),
    weigh(1, fc.record({ do: does('listings'), at: small, mood: oneOf('fails', 'empty'), ms: windowMs })),
    weigh(2, fc.record({ do: does('refuse'), at: small, ms: windowMs })),
    weigh(3, fc.record({ do: does('jump'), ms: oneOf(660_000, -660_000, 6_000, -30_000, 1_200_000) })),
    weigh(2, fc.record({ do: does('suspend'), ms: oneOf(5_000, 60_000, 900_000) })),
    weigh(
      6,
      fc.record({
        do: does('storage'),
        of: oneOf('commits', 'reads', 'reads'),
        fault: oneOf<StoreFault>('refused', 'unknown, written', 'unknown, not written'),
        after: oneOf(0, 0, 1, 2, 4),
        times: oneOf(1, 1, 3, 20),
      }),
    ),
    weigh(1, fc.record({ do: does('silence'), ms: windowMs })),
    weigh(
      7,
      fc.tuple(where, oneOf(10, 1_000, 60_000), oneOf(false, false, true)).map(
        ([at, down_ms, elsewhere]): Command => ({
          do: 'kill',
          ...at,
          down_ms,
          elsewhere,
        }),
      ),
    ),
    weigh(2, freeze),
    weigh(
      2,
      fc.oneof(
        fc.record({ do: does('restart'), elsewhere: oneOf(false, true) }),
        fc.record({ do: does('restart'), elsewhere: fc.constant(false), change }),
      ),
    ),
  );
}

/** Nothing much happens before there is a request: one comes first, or second. */
function histories(
  setup: fc.Arbitrary<Setup>,
  sizes: fc.Arbitrary<number>,
  several: fc.Arbitrary<number>,
  most: number,
  any: fc.Arbitrary<Command> = command(sizes, several),
): fc.Arbitrary<History> {
  const begun = fc.tuple(
    fc.array(any, { maxLength: 1 }),
    requestOf(sizes, several),
    fc.array(any, { maxLength: most, size: 'max' }),
  );
  return fc.record({ setup, commands: begun.map(([before, first, after]) => [...before, first, ...after]) });
}

/** Histories with few machines, which split into parts all the same, because a commit takes few rows. */
export const smallHistories = histories(setups(6), oneOf(3, 1, 8, 12, 20, 40), oneOf(1, 1, 1, 4), 24);

/** Histories with the sizes of life. */
export const largeHistories = histories(setups(200, 40, 500), oneOf(200, 400, 2_000), fc.constant(1), 8);

/** What concerns one broker concerns one of several. */
const ofOne = new Set<Command['do']>(['suspend', 'steal', 'storage', 'kill', 'freeze', 'restart']);

const ofSeveral = fc
  .tuple(
    fc.oneof(
      { weight: 10, arbitrary: command(oneOf(3, 1, 8, 12), oneOf(1, 1, 4)) },
      { weight: 2, arbitrary: freeze },
      { weight: 1, arbitrary: fc.record({ do: does('steal'), by: fc.constant(0) }) },
    ),
    small,
  )
  .map(([any, by]): Command => (ofOne.has(any.do) ? ({ ...any, by } as Command) : any));

/** Histories in which two or three brokers hold requests of one store. */
export const sharedHistories = histories(
  fc.tuple(setups(6), oneOf(2, 3)).map(([setup, brokers]): Setup => ({ ...setup, brokers, lease_ms: 30_000 })),
  oneOf(3, 1, 8, 12),
  oneOf(1, 1, 4),
  24,
  ofSeveral,
);
