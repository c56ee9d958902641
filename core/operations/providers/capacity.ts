import { Type, type Static } from 'typebox';
import { marketWord, marketWords } from '../../model/market.ts';
import type { KnownOffer } from '../../providers/capacity.ts';
import { isoTime } from '../../schema/iso-time.ts';
import { operation } from '../operation.ts';
import { paging } from '../paging.ts';
import { p } from '../parameters.ts';

const nullable = (description?: string) =>
  Type.Union([Type.String(), Type.Null()], description === undefined ? {} : { description });

const capacityStates = ['free', 'short'] as const;
type CapacityState = (typeof capacityStates)[number];

const OfferCapacity = Type.Object({
  provider_instance: Type.String(),
  provider_api: Type.String(),
  offer: Type.String({ description: "Machine type, place and market, in the provider's own spelling." }),
  machine_type: nullable(),
  zone: nullable('null: the offer names no zone, or the provider was not asked yet where its places are.'),
  market: Type.Union([Type.Enum([...marketWords]), Type.Null()]),
  state: Type.Unsafe<CapacityState>(
    Type.Enum([...capacityStates], {
      description: '`short`: it lacked capacity within the last three minutes, and comes after all other offers.',
    }),
  ),
  short_since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Since when the provider reports the lack of capacity.' }),
  ),
  tried_again_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'Before this time the offer is not ordered at all.' }),
  ),
  code: Type.Optional(Type.String({ description: "The provider's own code of the lack of capacity." })),
  message: Type.Optional(Type.String()),
  template_ids: Type.Array(Type.String(), {
    description: 'The templates that allow the offer, at most 20. Empty: only a request that was made before.',
  }),
});

export const listCapacity = operation('ListCapacityQuery', {
  summary:
    'List the offers of all templates at each provider instance, and which of them lack capacity now, as selection sees them. Calls no provider.',
  input: Type.Object(
    {
      provider_instance: Type.Optional(p.of_instance),
      template_id: Type.Optional({ ...p.template_id, description: 'Only offers of this template.' }),
      state: Type.Optional(
        Type.Enum([...capacityStates] as [CapacityState, ...CapacityState[]], {
          description: 'Only offers in this state.',
        }),
      ),
      limit: Type.Optional(p.limit),
      offset: Type.Optional(p.offset),
      page: Type.Optional(p.page),
      page_size: Type.Optional(p.page_size),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ offers: Type.Array(OfferCapacity), count: Type.Integer(), total_count: Type.Integer() }),
  refusals: ['TEMPLATE_NOT_FOUND', 'TEMPLATE_INVALID'],
  rest: { method: 'GET', path: '/capacity/', limit: 'read' },
  cli: { command: 'capacity list', example: 'muster capacity list --state short' },
  async handle(input, { capacity, templateLibrary }) {
    const { provider_instance, template_id, state } = input;
    if (template_id !== undefined) await templateLibrary.seek(template_id);
    const templates = template_id === undefined ? templateLibrary.allPlaced() : [templateLibrary.placed(template_id)];
    const known = await capacity.offers(templates, provider_instance);
    const all = known
      .filter((each) => template_id === undefined || each.template_ids.length > 0)
      .filter(({ shortfall }) => state === undefined || (shortfall === undefined) === (state === 'free'));
    const { limit, offset } = paging(input, 1_000);
    const offers = all.slice(offset, offset + limit).map(offerView);
    return { offers, count: offers.length, total_count: all.length };
  },
});

function offerView(known: KnownOffer): Static<typeof OfferCapacity> {
  const { machine_type = null, zone = null, market, shortfall: short } = known;
  return {
    provider_instance: known.provider_instance,
    provider_api: known.api,
    offer: known.key,
    machine_type,
    zone,
    market: market === undefined ? null : marketWord(market),
    state: short ? 'short' : 'free',
    ...(short
      ? {
          short_since: isoTime(short.short_since),
          tried_again_at: isoTime(short.tried_again_at),
          code: short.shortfall.code,
          message: short.shortfall.message,
        }
      : {}),
    template_ids: [...known.template_ids],
  };
}
