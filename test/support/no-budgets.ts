import { nothingReserved, reservesText } from '../../core/index.ts';
import type { BudgetRules } from '../../core/budgets/budgets.ts';

/** No budgets, for tests of other things: requests reserve machines of unknown size and price. */
export const noBudgets: BudgetRules = {
  all: [],
  reservations: {
    ofNew: ({ machine_count: n }) =>
      reservesText({ tags: {}, parts: [{ ...nothingReserved, machines: n, unsized: n, unpriced: n }] }),
    of: () => undefined,
    tagsByPlace: () => [],
  },
  checks: () => [],
};
