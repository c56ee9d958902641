import type { Budget } from '../../../core/budgets/budget.ts';
import { isBrokerError } from '../../../core/contract/errors.ts';
import type { Reserved } from '../../../core/index.ts';
import { loopBench, type LoopBench } from '../../support/loop-bench.ts';
import { ScriptedCloud } from '../../support/scripted-cloud.ts';

/** A cheap and a dear offer on demand, and a Spot one. */
export const offers = [
  { key: 'small-2', vcpus: 2, usd: 0.1, market: 'on-demand' },
  { key: 'large-8', vcpus: 8, usd: 0.4, market: 'on-demand' },
];

export const cloudOf = (given: ConstructorParameters<typeof ScriptedCloud>[1] = offers): ScriptedCloud =>
  new ScriptedCloud({ offers_per_launch: 'one', machines_per_launch: 3 }, given);

export interface BudgetBench extends LoopBench {
  readonly east: ScriptedCloud;
  /** What is reserved of everything. */
  all(): Promise<Reserved>;
  /** Lets machines become ready, and time pass until requests end. */
  settle(ms?: number): Promise<void>;
}

export async function budgetBench(
  budgets: readonly Budget[],
  clouds: Readonly<Record<string, ScriptedCloud>> = { east: cloudOf() },
  settings: Parameters<typeof loopBench>[1] = {},
): Promise<BudgetBench> {
  const bench = await loopBench(clouds, settings, {}, 'off', false, budgets);
  const [east] = Object.values(clouds);
  if (!east) throw new Error('A bench needs a cloud.');
  return {
    ...bench,
    east,
    all: () => bench.store.reserved({}),
    async settle(ms = 20_000) {
      for (let left = 4; left > 0; left -= 1) {
        await bench.clock.advance(ms / 4);
        for (const cloud of Object.values(clouds)) cloud.boot();
      }
    },
  };
}

/** The code and the details of a refusal; undefined: it was accepted. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isBrokerError(error) ? { code: error.code, ...error.details } : error;
}
