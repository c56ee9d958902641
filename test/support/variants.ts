import test, { type ExecutionContext } from 'ava';

/** Set by `ava.long.config.js`. Not `MUSTER_…`: the brokers that tests start would take it for a setting. */
const thorough = process.env['TEST_VARIANTS'] === 'all';

/**
 * The variants with which a test is repeated: the first ones in the quick tests, all in the long ones. For files named
 * `*.variants.test.ts`, which are part of both.
 */
export const variants = <T>(all: readonly T[], quick = 1): readonly T[] => (thorough ? all : all.slice(0, quick));

/** A test of the long run alone, in a file whose other tests are quick ones too. */
export function longTest(title: string, body: (t: ExecutionContext) => Promise<void>): void {
  if (thorough) test(title, body);
}

/** How often a property is tried, in the quick tests and in the long ones. */
export const tries = (quick: number, long: number): number => (thorough ? long : quick);
