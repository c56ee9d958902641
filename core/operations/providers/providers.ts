import { Type, type Static } from 'typebox';
import { faultKinds, type FaultKind } from '../../contract/fault.ts';
import type { ProviderInstance } from '../../model/provider-instance.ts';
import type { ProviderApi } from '../../contract/provider/provider-api.ts';
import type { OfferShortfall } from '../../providers/facts.ts';
import { p } from '../parameters.ts';
import { operation } from '../operation.ts';
import { paging, sortBy, sorting } from '../paging.ts';
import { missingView, ProviderView, providerView, providerViews } from './provider-views.ts';

const SupportedApi = Type.Object({
  name: Type.String(),
  supports_spot: Type.Boolean(),
  supports_on_demand: Type.Boolean(),
  max_instances: Type.Integer({ description: 'The most machines of one request through this API.' }),
  supported_fleet_types: Type.Array(Type.String()),
});

const OfferWithoutCapacity = Type.Object({
  provider_api: Type.String(),
  offer: Type.String({ description: "Machine type, place and market, in the provider's own spelling." }),
  kind: Type.Unsafe<FaultKind>(Type.Enum([...faultKinds])),
  code: Type.String(),
  message: Type.String(),
  since: Type.String({ description: 'When the provider reported it.' }),
  until: Type.String({ description: 'Until then the offer comes after all others.' }),
  tried_again_at: Type.String({
    description: 'Before this time the offer is not used; after it, only when no other offer is left.',
  }),
});

const ProviderCapabilities = Type.Object({
  provider_instance: Type.String(),
  supported_apis: Type.Array(SupportedApi),
  pricing_models: Type.Array(Type.Enum(['ondemand', 'spot'])),
  regions: Type.Array(Type.String()),
  availability_zones: Type.Array(Type.String()),
  finds_orphans: Type.Boolean({ description: 'Whether discovery finds machines without a request by their tags.' }),
  offers_without_capacity: Type.Array(OfferWithoutCapacity),
});

const sortable = ['name', 'type', 'priority', 'weight', 'enabled', 'status'] as const;

export const listProviders = operation('ListProvidersQuery', {
  summary: 'List the provider instances with their APIs, health and statistics.',
  input: Type.Object(
    {
      limit: Type.Optional(p.limit),
      page: Type.Optional(p.page),
      page_size: Type.Optional(p.page_size),
      sort: sortBy(sortable),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ providers: Type.Array(ProviderView), total: Type.Integer(), enabled: Type.Integer() }),
  rest: { method: 'GET', path: '/providers/', limit: 'provider', errors: 'error' },
  cli: { command: 'providers list', example: 'muster providers list' },
  async handle(input, { providers }) {
    const all = providerViews(providers);
    const by = sorting(input.sort, sortable);
    const { limit, offset } = paging(input, 50);
    return {
      providers: (by ? sortedBy(all, ...by) : all).slice(offset, offset + limit),
      total: all.length,
      enabled: all.filter(({ enabled }) => enabled).length,
    };
  },
});

export const getProvider = operation('GetProviderQuery', {
  summary: 'Show one provider instance with its configuration, limits and statistics.',
  input: Type.Object({ provider_name: p.provider_instance }, { additionalProperties: false }),
  output: ProviderView,
  refusals: ['PROVIDER_NOT_FOUND'],
  rest: { method: 'GET', path: '/providers/{provider_name}', limit: 'provider', errors: 'error' },
  cli: { command: 'providers show', args: ['provider_name'], example: 'muster providers show east' },
  async handle({ provider_name }, { providers }) {
    const missing = providers.missing().find(({ name }) => name === provider_name);
    return missing
      ? missingView(provider_name, missing.type, providers)
      : providerView(providers.require(provider_name), providers);
  },
});

function sortedBy(
  all: readonly ProviderView[],
  field: (typeof sortable)[number],
  direction: 'asc' | 'desc',
): ProviderView[] {
  const sign = direction === 'desc' ? -1 : 1;
  return all.toSorted((a, b) => (a[field] < b[field] ? -sign : a[field] > b[field] ? sign : a.name < b.name ? -1 : 1));
}

export const getProviderCapabilities = operation('GetProviderCapabilitiesQuery', {
  summary: 'Show the APIs, markets and places of a provider instance, and the offers that lack capacity now.',
  input: Type.Object({ provider_name: p.provider_instance }, { additionalProperties: false }),
  output: ProviderCapabilities,
  refusals: ['PROVIDER_NOT_FOUND'],
  rest: { method: 'GET', path: '/providers/{provider_name}/capabilities', limit: 'provider', errors: 'error' },
  cli: { command: 'providers capabilities', args: ['provider_name'], example: 'muster providers capabilities east' },
  async handle({ provider_name }, { providers }) {
    const instance = providers.require(provider_name);
    const apis = providers.apis(provider_name);
    const { regions, availability_zones } = providers.places(instance);
    const models = [
      ...(apis.some(({ capabilities }) => capabilities.supports_on_demand) ? (['ondemand'] as const) : []),
      ...(apis.some(({ capabilities }) => capabilities.supports_spot) ? (['spot'] as const) : []),
    ];
    return {
      provider_instance: provider_name,
      supported_apis: apis.map((api) => supported(api, instance)),
      pricing_models: models,
      regions: [...regions],
      availability_zones: [...availability_zones],
      finds_orphans: providers.type(instance)?.owned !== undefined,
      offers_without_capacity: providers.offerShortfalls(provider_name).map(offerWithoutCapacity),
    };
  },
});

function supported({ name, capabilities }: ProviderApi, { limits }: ProviderInstance): Static<typeof SupportedApi> {
  return {
    name,
    supports_spot: capabilities.supports_spot,
    supports_on_demand: capabilities.supports_on_demand,
    max_instances: Math.min(capabilities.max_instances, limits.max_instances_per_request),
    supported_fleet_types: [...capabilities.supported_fleet_types],
  };
}

function offerWithoutCapacity({
  api,
  offer,
  shortfall,
  since,
  until,
  tried_again_at,
}: OfferShortfall): Static<typeof OfferWithoutCapacity> {
  const { kind, code, message } = shortfall;
  const [from, to, again] = [since, until, tried_again_at].map((at) => new Date(at).toISOString()) as [
    string,
    string,
    string,
  ];
  return { provider_api: api, offer, kind, code, message, since: from, until: to, tried_again_at: again };
}
