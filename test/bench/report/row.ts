import type { Spread } from '../measure/numbers.ts';

/** A demand on a number: at least, or below. */
export interface Target {
  readonly text: string;
  readonly met: boolean;
}

/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly measured: Spread;
  readonly runs: number;
  /** The bare server in the same run. */
  readonly baseline?: Spread;
  /** Measured by baseline, pair by pair; `by_cpu` compares answers in a second of the server's processor time. */
  readonly ratio?: { readonly by_rate: Spread; readonly by_cpu: Spread | undefined };
  readonly targets: readonly Target[];
  readonly notes: readonly string[];
}

export const atLeast = (value: number, bound: number, text: string): Target => ({
  text: `${text} ≥ ${bound}`,
  met: value >= bound,
});
export const below = (value: number, bound: number, text: string): Target => ({
  text: `${text} < ${bound}`,
  met: value < bound,
});
