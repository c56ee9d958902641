import fc from 'fast-check';
import { largeHistories, sharedHistories, smallHistories, type History } from './commands.ts';
import type { Rule, Violation } from './judge.ts';
import { play } from './play.ts';
import { shorten } from './shorten.ts';

/** Few machines, as many as in life, or few and several brokers. */
export type Size = 'small' | 'large' | 'shared';
const historiesOf = { small: smallHistories, large: largeHistories, shared: sharedHistories };

export interface Search {
  readonly seed: number;
  readonly plays: number;
  readonly size: Size;
  /** Rules that are left out. */
  readonly but?: readonly Rule[];
}

/** The shortest history that was found to break a rule. */
export interface Found {
  readonly history: History;
  readonly violations: readonly Violation[];
}

/**
 * Plays histories at random until one breaks a rule, and shortens that one. The same seed plays the same histories.
 */
export async function search({ seed, plays, size, but = [] }: Search): Promise<Found | undefined> {
  const left = new Set(but);
  const violationsOf = async (history: History): Promise<readonly Violation[]> =>
    (await play(history, left)).violations;
  const property = fc.asyncProperty(historiesOf[size], async (history) => {
    const [violation] = await violationsOf(history);
    return violation === undefined;
  });
  const { counterexample } = await fc.check(property, { seed, numRuns: plays, endOnFailure: true });
  const [found] = counterexample ?? [];
  const [violation] = found ? await violationsOf(found) : [];
  if (!found || !violation) return undefined;
  const history = await shorten(found, violation.rule, async (shorter) => (await violationsOf(shorter))[0]);
  return { history, violations: await violationsOf(history) };
}

/** For people: what was done, what was wrong, and how to see it again. */
export function told({ history, violations }: Found): string {
  return [
    `setup: ${JSON.stringify(history.setup)}`,
    ...history.commands.map((command) => `  ${JSON.stringify(command)}`),
    ...violations.slice(0, 5).map(({ rule, what, at }) => `[${rule}] after ${at} ms: ${what}`),
    `npm run model -- --replay '${JSON.stringify(history)}'`,
  ].join('\n');
}
