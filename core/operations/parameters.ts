import { Type } from 'typebox';
import { leaseField, mostLeaseS } from '../model/leases/lease.ts';
import { strategies, type Strategy } from '../selection/candidate.ts';
import { marketSpellings, marketWords, type MarketWord } from '../model/market.ts';
import { defaultTimeoutS, requestStatuses, type RequestStatus } from '../model/request.ts';

/** The most machines of one request, whatever the configuration allows. */
export const machineCountCeiling = 10_000;

/**
 * The shared parameters of operations: type, bounds, default, aliases and description. camelCase spellings are
 * accepted without an alias.
 */
export const p = {
  template_id: Type.String({ minLength: 1, maxLength: 255, description: 'Template id.', aliases: ['id'] }),
  request_id: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Request id: `req-…`, or `ret-…` for a return.',
  }),
  request_ids: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    minItems: 1,
    maxItems: 1000,
    description: 'Request ids, of requests and of returns.',
  }),
  new_request_id: Type.String({
    pattern: '^req-[A-Za-z0-9-]{1,60}$',
    description: 'An id that the caller chooses. The same id twice gives one request.',
  }),
  machine_count: Type.Integer({
    minimum: 1,
    description: `The number of machines; at most ${machineCountCeiling} and the limits of the template and the provider instance.`,
    aliases: ['count', 'requested_count'],
  }),
  names: Type.Array(
    Type.String({
      pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$',
      minLength: 1,
      maxLength: 128,
    }),
    {
      minItems: 1,
      maxItems: machineCountCeiling,
      description: 'A name for each machine, each once. A machine that replaces a lost one gets its name.',
    },
  ),
  machine_ids: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    minItems: 1,
    maxItems: 10_000,
    description: 'Machine ids; `instance/id` when machines of several instances have the same id.',
  }),
  provider_preference: Type.Object(
    {
      type: Type.Optional(
        Type.Enum([...strategies] as [Strategy, ...Strategy[]], {
          description:
            '`explicit` with provider_instance, `load_balanced` with provider_type, `api_based` or `default`.',
        }),
      ),
      provider_instance: Type.Optional(
        Type.String({ minLength: 1, maxLength: 255, description: 'The instance that shall serve the request.' }),
      ),
      provider_type: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'The provider type whose instances share the load.',
        }),
      ),
    },
    { additionalProperties: false, description: 'Selection of the provider instance; overrides the template.' },
  ),
  machine_id: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Machine id; `instance/id` when machines of several instances have the same id.',
  }),
  offset: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'The number of entries to skip.',
  }),
  additional_data: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Stored with the request and returned unchanged.',
  }),
  tags: Type.Record(Type.String(), Type.String(), {
    description: 'Tags of every machine of the request, in addition to those of the template.',
  }),
  timeout: Type.Integer({
    minimum: 1,
    maximum: 604_800,
    description: `Seconds to wait for machines. Default: the time-out of the template, else ${defaultTimeoutS}.`,
  }),
  partial: Type.Enum(['best_effort', 'all_or_nothing'] as ['best_effort', 'all_or_nothing'], {
    description: 'Whether fewer machines than requested are of use; overrides the template.',
  }),
  lease: {
    ...leaseField,
    description:
      'Seconds from its readiness after which muster returns a machine. Default: the lease of the template, else none.',
  },
  extension_seconds: Type.Integer({
    minimum: 1,
    maximum: mostLeaseS,
    description: 'By how many seconds the present leases are extended.',
  }),
  hold_seconds: Type.Integer({
    minimum: 0,
    maximum: mostLeaseS,
    description: 'For how many seconds from now the machines are held. 0 ends the hold.',
  }),
  reason: Type.String({ maxLength: 1000, description: 'The reason, for the journal.' }),
  status: Type.Enum([...requestStatuses] as [RequestStatus, ...RequestStatus[]], {
    description: 'Only requests in this state.',
  }),
  long: Type.Boolean({
    description: 'Include machines, and trigger a new observation at the provider.',
    aliases: ['verbose'],
  }),
  limit: Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: 'The maximum number of entries.',
  }),
  page: Type.Integer({ minimum: 1, description: 'The number of the page, from 1. Not together with offset.' }),
  page_size: Type.Integer({
    minimum: 1,
    maximum: 200,
    description: 'Entries per page, default 50. Not together with limit.',
  }),
  sort: Type.String({ pattern: '^[a-z_]+(:(asc|desc))?$', description: '`<field>:asc` or `<field>:desc`.' }),
  include_source: Type.Boolean({ default: false, description: 'Include the file, or the API, that sets each field.' }),
  force_refresh: Type.Boolean({ default: false, description: 'First read the template files again.' }),
  provider_instance: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Name of a provider instance.',
    aliases: ['provider', 'provider_name', 'provider_instance', 'name'],
  }),
  of_instance: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Only entries of this provider instance.',
    aliases: ['provider_name', 'provider'],
  }),
  market: Type.Enum([...marketWords] as [MarketWord, ...MarketWord[]], {
    description: 'Only machines of this market.',
    value_aliases: marketSpellings,
  }),
  balanced_type: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Balance the load over the instances of this provider type.',
  }),
  selection_strategy: Type.Enum([...strategies] as [Strategy, ...Strategy[]], {
    description:
      'How the provider instance is selected. Default: by the named instance, type or API, else by priority. Instances of equal priority share by weight.',
  }),
  provider_api: Type.String({ description: 'Only templates that resolve to this provider API.' }),
  provider_type: Type.String({ description: 'Only entries of this provider type.' }),
  provider_name: Type.String({
    description: 'Only entries of this provider instance.',
    aliases: ['provider', 'provider_instance'],
  }),
};
