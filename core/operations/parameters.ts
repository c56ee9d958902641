import { Type } from 'typebox';
import { strategies, type Strategy } from '../selection/candidate.ts';
import { marketSpellings, marketWords, type MarketWord } from '../model/market.ts';
import { defaultTimeoutS, requestStatuses, type RequestStatus } from '../model/request.ts';

/** The most machines that one request may ask for, whatever the configuration says. */
export const machineCountCeiling = 10_000;

/** Every parameter that operations share, once: its type, bounds, default, other spellings and what it means. camelCase spellings need no mention. */
export const p = {
  template_id: Type.String({ minLength: 1, maxLength: 255, description: 'Template id.', aliases: ['id'] }),
  request_id: Type.String({ minLength: 1, maxLength: 255, description: 'Request id: `req-…`, or `ret-…` for a return.' }),
  request_ids: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    minItems: 1,
    maxItems: 1000,
    description: 'Request ids, of requests and of returns.',
  }),
  new_request_id: Type.String({
    pattern: '^req-[A-Za-z0-9-]{1,60}$',
    description: 'An id made by the caller: the same id twice gives one request.',
  }),
  machine_count: Type.Integer({
    minimum: 1,
    description: `How many machines; at most ${machineCountCeiling}, and what the template and the provider instance allow.`,
    aliases: ['count', 'requested_count'],
  }),
  machine_ids: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    minItems: 1,
    maxItems: 10_000,
    description: 'Machine ids; `instance/id` where machines of several instances have one id.',
  }),
  provider_preference: Type.Object(
    {
      type: Type.Optional(
        Type.Enum([...strategies] as [Strategy, ...Strategy[]], {
          description: '`explicit` with provider_instance, `load_balanced` with provider_type, `api_based` or `default`.',
        }),
      ),
      provider_instance: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'The instance that shall serve it.' })),
      provider_type: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'The type over whose instances to balance.' })),
    },
    { additionalProperties: false, description: 'Which provider instance shall serve the request; it beats what the template says.' },
  ),
  machine_id: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Machine id; `instance/id` where machines of several instances have one id.',
  }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'How many entries to pass over. Not together with page.' }),
  additional_data: Type.Record(Type.String(), Type.Unknown(), { description: 'Kept with the request and passed through.' }),
  tags: Type.Record(Type.String(), Type.String(), {
    description: 'Tags put on every machine of the request, beside those of the template.',
  }),
  timeout: Type.Integer({
    minimum: 1,
    maximum: 604_800,
    description: `Seconds to wait for machines. Default: the template says, else ${defaultTimeoutS}.`,
  }),
  reason: Type.String({ maxLength: 1000, description: 'Why, for the record.' }),
  status: Type.Enum([...requestStatuses] as [RequestStatus, ...RequestStatus[]], { description: 'Only requests in this state.' }),
  long: Type.Boolean({ description: 'Include machines, and have the provider asked anew.', aliases: ['verbose'] }),
  limit: Type.Integer({ minimum: 1, maximum: 1000, description: 'How many entries to give. Not together with page_size.' }),
  page: Type.Integer({ minimum: 1, description: 'Which page, from 1.' }),
  page_size: Type.Integer({ minimum: 1, maximum: 200, description: 'Entries on a page, default 50.' }),
  sort: Type.String({ pattern: '^[a-z_]+(:(asc|desc))?$', description: '`<field>:asc` or `<field>:desc`.' }),
  include_source: Type.Boolean({ default: false, description: 'Say from which files, or the API, each field comes.' }),
  force_refresh: Type.Boolean({ default: false, description: 'Read the template files anew first.' }),
  provider_instance: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Name of a provider instance.',
    aliases: ['provider', 'provider_name', 'provider_instance', 'name'],
  }),
  of_instance: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Only those of this provider instance.',
    aliases: ['provider_name', 'provider'],
  }),
  market: Type.Enum([...marketWords] as [MarketWord, ...MarketWord[]], {
    description: 'Only machines that are paid for in this way.',
    value_aliases: marketSpellings,
  }),
  wanted_type: Type.String({ minLength: 1, maxLength: 255, description: 'Balance the load over the instances of this provider type.' }),
  selection_strategy: Type.Enum([...strategies] as [Strategy, ...Strategy[]], {
    description:
      'How the provider instance is chosen. Default: by what is named: an instance, a type, an API, else by priority. Equals share by weight.',
  }),
  provider_api: Type.String({ description: 'Only templates that resolve to this provider API.' }),
  provider_type: Type.String({ description: 'Only those of this provider type.' }),
  provider_name: Type.String({ description: 'Only those of this provider instance.', aliases: ['provider', 'provider_instance'] }),
};
