import { Type, type Static } from 'typebox';
import { budgetLimits, type BudgetLimit } from '../../budgets/budget-use.ts';
import { isBrokerError, type BrokerError } from '../../contract/errors.ts';
import { priceSources } from '../../model/cost/price.ts';
import { ProviderSelection } from '../../model/request.ts';
import type { PlannedOffer, RequestPlan } from '../../requests/plan/request-plans.ts';
import { isoTime } from '../../schema/iso-time.ts';
import { operation } from '../operation.ts';
import { p } from '../parameters.ts';
import { concludeRequest } from './request-machines.ts';

const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

const PlannedPrice = Type.Object({
  usd_per_hour: orNull(Type.Number(), 'US dollars an hour of a machine. null: not known.'),
  source: Type.Enum([...priceSources, 'unknown']),
});

const Plan = Type.Object({
  accepted: Type.Boolean({ description: 'The real call would be accepted now.' }),
  refusals: Type.Array(
    Type.Object({ code: Type.String(), message: Type.String(), details: Type.Record(Type.String(), Type.Unknown()) }),
    { description: 'Why it would be refused: one of them is the answer of the real call.' },
  ),
  selection: orNull(
    Type.Intersect([
      Type.Object({ provider_type: Type.String(), provider_instance: Type.String() }),
      Type.Omit(ProviderSelection, ['selection_time_ms']),
    ]),
    'The selected instance. null: none can be selected.',
  ),
  order: Type.Array(
    Type.Object({
      provider_instance: Type.String(),
      api: Type.String(),
      offer: orNull(Type.String(), 'The key of the offer. null: the API has none to select from.'),
      price: PlannedPrice,
      capacity_memory: orNull(
        Type.Object({ short_since: Type.String(), tried_again_at: Type.String() }),
        'Set when the offer lacked capacity lately, for any request.',
      ),
      over_budget: orNull(
        Type.String(),
        'Why a budget of the instance or the market has no room there now: the next place is used.',
      ),
    }),
    {
      description:
        'The offers in the order in which they would be used. Those that lacked capacity come after all others.',
    },
  ),
  cost: Type.Object({
    usd_per_hour: orNull(Type.Number(), 'Of all machines from the first offer. null: not known.'),
    at_most_usd_per_hour: orNull(Type.Number(), 'Of all machines from the dearest offer. null: not known.'),
  }),
  budgets: Type.Array(
    Type.Object({
      name: Type.String(),
      limit: Type.Unsafe<BudgetLimit>(Type.Enum([...budgetLimits])),
      max: Type.Number(),
      used: Type.Number(),
      after: Type.Number({
        description: 'With the request. Of a budget of an instance or market: at the first offer.',
      }),
    }),
    { description: 'The budgets that count the machines.' },
  ),
  quotas: Type.Array(
    Type.Object({
      name: Type.String(),
      of: Type.String({ description: 'The template or provider instance.' }),
      max: Type.Integer(),
      used: Type.Integer(),
      after: Type.Integer(),
    }),
    { description: 'The maxima of template, instance and API. Those of the account are known to the provider alone.' },
  ),
});
type Plan = Static<typeof Plan>;

export const planRequest = operation('PlanRequestQuery', {
  summary:
    'Show what a request for machines would do, without making it: whether it is accepted, where its machines would be ordered, what they cost, and what it takes of budgets. Writes nothing.',
  input: Type.Object(
    {
      template_id: p.template_id,
      machine_count: { ...p.machine_count, aliases: ['count', 'requested_count', 'max_number'] },
      provider_preference: Type.Optional(p.provider_preference),
      additional_data: Type.Optional(p.additional_data),
      timeout: Type.Optional(p.timeout),
      tags: Type.Optional(p.tags),
      lease: Type.Optional({ ...p.lease, description: 'As of the request.' }),
      names: Type.Optional({ ...p.names, description: 'As of the request.' }),
    },
    { additionalProperties: false },
  ),
  output: Plan,
  refusals: ['TEMPLATE_NOT_FOUND'],
  rest: { method: 'POST', path: '/requests/plan', limit: 'validation', errors: 'error' },
  cli: {
    command: 'requests plan',
    args: ['template_id', 'machine_count'],
    example: 'muster requests plan small 3',
  },
  async handle(input, services): Promise<Plan> {
    try {
      const plan = await concludeRequest(input, services, undefined, (requests, request, selection, given) =>
        services.requestPlans.of(requests.opened(request, selection, given)),
      );
      // Without a key and an id no earlier request is found.
      return planView(plan as RequestPlan, services);
    } catch (error) {
      if (!isBrokerError(error) || error.code === 'TEMPLATE_NOT_FOUND' || error.code === 'INTERNAL') throw error;
      return {
        accepted: false,
        refusals: [refusalView(error)],
        selection: null,
        order: [],
        cost: { usd_per_hour: null, at_most_usd_per_hour: null },
        budgets: [],
        quotas: [],
      };
    }
  },
});

const refusalView = ({ code, message, details }: BrokerError): Plan['refusals'][number] => ({
  code,
  message,
  details: { ...details },
});

function planView(plan: RequestPlan, { providers }: Parameters<typeof planRequest.handle>[1]): Plan {
  const { request, refusals, order, budgets, limit } = plan;
  const { machine_count, template_id, selected_instance = '', provider_type = '' } = request;
  const { selection_time_ms: _, ...selection } = request.provider_selection ?? {
    selection_reason: '',
    confidence: 0,
    alternatives: [],
    selection_time_ms: 0,
  };
  const inTurn = [...order].toSorted((a, b) => Number(a.shortfall !== undefined) - Number(b.shortfall !== undefined));
  const prices = inTurn.map(({ price }) => price?.usd_per_hour);
  const known = prices.filter((price) => price !== undefined);
  const together = (price: number | undefined): number | null =>
    price === undefined ? null : Math.round(price * machine_count * 1e6) / 1e6;
  const instance = providers.instance(selected_instance);
  return {
    accepted: refusals.length === 0,
    refusals: refusals.map(refusalView),
    selection: { provider_type, provider_instance: selected_instance, ...selection },
    order: inTurn.map(offerView),
    cost: {
      usd_per_hour: together(prices[0]),
      at_most_usd_per_hour: known.length < prices.length || known.length === 0 ? null : together(Math.max(...known)),
    },
    budgets: [...budgets],
    quotas: [
      ...(limit === undefined
        ? []
        : [
            {
              name: 'max_instances',
              of: template_id ?? '',
              max: limit.max,
              used: limit.held,
              after: limit.held + machine_count,
            },
          ]),
      ...(instance === undefined
        ? []
        : [
            {
              name: 'max_instances_per_request',
              of: instance.name,
              max: instance.limits.max_instances_per_request,
              used: 0,
              after: machine_count,
            },
          ]),
    ],
  };
}

const offerView = ({ option, offer, price, shortfall, over }: PlannedOffer): Plan['order'][number] => ({
  provider_instance: option.provider_instance,
  api: option.api,
  offer: offer?.key ?? null,
  price: price ? { ...price } : { usd_per_hour: null, source: 'unknown' },
  capacity_memory:
    shortfall === undefined
      ? null
      : { short_since: isoTime(shortfall.short_since), tried_again_at: isoTime(shortfall.tried_again_at) },
  over_budget: over.length === 0 ? null : over.map(({ message }) => message).join(' '),
});
