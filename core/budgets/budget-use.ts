import { microusdOf } from '../model/budget/budget-bounds.ts';
import type { Reserved } from '../model/budget/reserved.ts';
import { microusd, type Budget } from './budget.ts';

/** The names of the limits of a budget. */
export const budgetLimits = ['max_machines', 'max_vcpus', 'max_usd_per_hour', 'max_usd_per_day'] as const;
export type BudgetLimit = (typeof budgetLimits)[number];

/** One limit of a budget, and what is used of it, in its unit. */
export interface LimitUse {
  readonly limit: BudgetLimit;
  readonly max: number;
  readonly used: number;
}

/** The limits of a budget with what is used of each. `ran`: what its machines cost in the last 24 hours. */
export function budgetUse(budget: Budget, reserved: Reserved, ranMicrousd: number): readonly LimitUse[] {
  const perHour = microusdOf(reserved, microusd(budget.unknown_price_usd ?? 0));
  const used: Readonly<Record<BudgetLimit, number>> = {
    max_machines: reserved.machines,
    max_vcpus: reserved.vcpus,
    max_usd_per_hour: perHour / 1e6,
    max_usd_per_day: (perHour + ranMicrousd) / 1e6,
  };
  return budgetLimits.flatMap((limit) => {
    const max = budget[limit];
    return max === undefined ? [] : [{ limit, max, used: used[limit] }];
  });
}

/** Whether at least 80 % of a limit are used. */
export const nearLimit = ({ max, used }: LimitUse): boolean => used > 0 && used >= 0.8 * max;
