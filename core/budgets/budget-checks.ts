import type { BudgetCheck } from '../contract/storage.ts';
import type { BudgetBounds } from '../model/budget/budget-bounds.ts';
import { minus, reservationOf } from '../model/budget/reserved.ts';
import { partIn } from '../model/budget/scope.ts';
import { microusd, type Budget } from './budget.ts';

/** What a commit changes of the reservation of one request. `before` absent: the request is new. */
export interface ReservationChange {
  readonly template_id: string;
  readonly before?: string | undefined;
  readonly after: string | undefined;
}

/** Millionths of a dollar by the name of a budget: what its machines cost in the last 24 hours. */
export type RanMicrousd = (budget: string) => number;

/**
 * The conditions of a commit that may increase what is reserved: one for each budget of which the request takes more
 * than before. Pure.
 */
export function budgetChecks(
  budgets: readonly Budget[],
  { template_id, before, after }: ReservationChange,
  ran: RanMicrousd,
): readonly BudgetCheck[] {
  const reserved = reservationOf(after);
  return budgets.flatMap((budget): readonly BudgetCheck[] => {
    const { name, scope } = budget;
    const now = partIn(scope, template_id, reserved);
    const asked = before === undefined ? now : minus(now, partIn(scope, template_id, reservationOf(before)));
    if (Object.values(asked).every((amount) => amount <= 0)) return [];
    return [{ op: 'budget', name, scope, bounds: { ...boundsOf(budget, ran), asked } }];
  });
}

function boundsOf(budget: Budget, ran: RanMicrousd): Omit<BudgetBounds, 'asked'> {
  const { name, max_machines, max_vcpus, max_usd_per_hour, max_usd_per_day, unknown_price_usd } = budget;
  return {
    ...(max_machines === undefined ? {} : { max_machines }),
    ...(max_vcpus === undefined ? {} : { max_vcpus }),
    ...(max_usd_per_hour === undefined ? {} : { max_microusd_per_hour: microusd(max_usd_per_hour) }),
    ...(max_usd_per_day === undefined
      ? {}
      : { day: { max_microusd: microusd(max_usd_per_day), ran_microusd: ran(name) } }),
    ...(unknown_price_usd === undefined ? {} : { unknown_microusd: microusd(unknown_price_usd) }),
  };
}
