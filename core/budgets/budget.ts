import { marketOfWord, type MarketWord } from '../model/market.ts';
import { storableTags } from '../model/budget/reserved.ts';
import type { BudgetScope } from '../model/budget/scope.ts';

/** A configured budget. Amounts are US dollars. */
export interface Budget {
  readonly name: string;
  readonly scope: BudgetScope;
  readonly max_machines?: number;
  readonly max_vcpus?: number;
  readonly max_usd_per_hour?: number;
  readonly max_usd_per_day?: number;
  /** The price of an hour of a machine whose price is not known. Absent: limits in dollars refuse such machines. */
  readonly unknown_price_usd?: number;
}

/** A budget as the configuration has it. */
export interface BudgetSettings extends Omit<Budget, 'scope'> {
  readonly match: Omit<BudgetScope, 'market'> & { readonly price_type?: MarketWord };
}

/** The budget for an entry of the configuration. */
export function budgetOf({ match: { price_type, tags, ...scope }, ...budget }: BudgetSettings): Budget {
  return {
    ...budget,
    scope: {
      ...scope,
      ...(price_type === undefined ? {} : { market: marketOfWord(price_type) }),
      ...(tags === undefined ? {} : { tags: storableTags(tags) }),
    },
  };
}

/** Millionths of a dollar, in which budgets count. */
export const microusd = (usd: number): number => Math.round(usd * 1e6);
