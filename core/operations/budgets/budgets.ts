import { Type, type Static } from 'typebox';
import { budgetLimits, nearLimit, type BudgetLimit } from '../../budgets/budget-use.ts';
import type { BudgetState } from '../../budgets/budget-queries.ts';
import { marketWord, marketWords, type MarketWord } from '../../model/market.ts';
import { operation } from '../operation.ts';

const BudgetView = Type.Object({
  name: Type.String(),
  match: Type.Object(
    {
      template_id: Type.Optional(Type.String()),
      provider_instance: Type.Optional(Type.String()),
      price_type: Type.Optional(Type.Unsafe<MarketWord>(Type.Enum([...marketWords]))),
      tags: Type.Optional(Type.Record(Type.String(), Type.String())),
    },
    { description: 'The machines that count. Empty: all.' },
  ),
  limits: Type.Array(
    Type.Object({
      limit: Type.Unsafe<BudgetLimit>(Type.Enum([...budgetLimits])),
      max: Type.Number(),
      used: Type.Number({
        description: 'In the unit of the limit. Of max_usd_per_day: the last 24 hours, and one more hour of all.',
      }),
      near: Type.Boolean({ description: 'At least 80 % are used: muster warns.' }),
      exceeded: Type.Boolean({ description: 'More is used than the limit allows: no further machine is accepted.' }),
    }),
  ),
  reserved: Type.Object(
    {
      machines: Type.Integer(),
      vcpus: Type.Integer(),
      usd_per_hour: Type.Number(),
      machines_of_unknown_size: Type.Optional(Type.Integer()),
      machines_of_unknown_price: Type.Optional(Type.Integer()),
    },
    { description: 'Machines that live, and those that requests may still get. Sums leave out what is not known.' },
  ),
  usd_last_24h: Type.Number({ description: 'What its machines cost in the last 24 hours, summed up each minute.' }),
});
type BudgetView = Static<typeof BudgetView>;

export const listBudgets = operation('ListBudgetsQuery', {
  summary: 'List the budgets with their limits and what is used of each, over all brokers.',
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({ budgets: Type.Array(BudgetView) }),
  rest: { method: 'GET', path: '/budgets/', limit: 'read' },
  cli: { command: 'budgets list', example: 'muster budgets list' },
  async handle(_input, { budgets }) {
    return { budgets: (await budgets.all()).map(viewOf) };
  },
});

function viewOf({ budget, reserved, usd_last_24h, limits }: BudgetState): BudgetView {
  const { market, ...match } = budget.scope;
  const { machines, vcpus, microusd, unsized, unpriced } = reserved;
  return {
    name: budget.name,
    match: { ...match, ...(market === undefined ? {} : { price_type: marketWord(market) }) },
    limits: limits.map((each) => ({ ...each, near: nearLimit(each), exceeded: each.used > each.max })),
    reserved: {
      machines,
      vcpus,
      usd_per_hour: microusd / 1e6,
      ...(unsized > 0 ? { machines_of_unknown_size: unsized } : {}),
      ...(unpriced > 0 ? { machines_of_unknown_price: unpriced } : {}),
    },
    usd_last_24h,
  };
}
