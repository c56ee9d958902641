import { Type, type Static, type TProperties } from 'typebox';
import { leaseField } from './leases/lease.ts';
import type { ObjectSchema, ValueOf } from '../schema/object-schema.ts';

/** Seconds that a machine has to become ready, when its template sets no `ready_timeout`. */
export const defaultReadyTimeoutS = 600;

/** Seconds until a replaced machine is released, when its template sets no `rebalance_drain`. */
export const defaultDrainS = 120;

/** The pattern of `template_id`: 1 to 128 letters, digits, `-`, `_`, `.`, starting with a letter or a digit. */
export const templateIdPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';

const text = (description: string, options: object = {}) => Type.Optional(Type.String({ description, ...options }));

/** The number of places of the largest fleet of any cloud. */
const mostIds = 300;
const ids = (description: string, options: object = {}) =>
  Type.Array(Type.String({ maxLength: 255 }), { maxItems: mostIds, description, ...options });

/**
 * The fields that every template may have. The fields of the loaded provider plugins are added to them; unknown fields
 * are kept as written.
 */
export const commonTemplateFields = {
  template_id: Type.String({ pattern: templateIdPattern, description: 'Unique identifier.', aliases: ['id'] }),
  name: text('A name for people.'),
  description: text('What the template is for.'),
  version: text('Version of the template.', { default: '1.0' }),
  provider_api: text(
    'Provider API that launches the machines. Default, also when a provider type is named: the first API that the instance offers.',
  ),
  provider_type: text('Provider type whose instances may serve the template.'),
  provider_name: text('Provider instance that serves the template.', { aliases: ['provider_instance'] }),
  max_instances: Type.Optional(
    Type.Integer({
      minimum: -1,
      description:
        'Limits one request, and the living machines of this template. -1 or absent: no limit; 0: no machines are allowed.',
      aliases: ['max_number', 'max_machines'],
    }),
  ),
  image_id: text('Machine image.', { aliases: ['machine_image'] }),
  machine_type: text('Machine type.', { aliases: ['instance_type', 'vm_type'] }),
  key_name: text('Key pair.', { aliases: ['machine_ssh_key'] }),
  security_group_ids: Type.Optional(ids('Security groups of the machines.')),
  subnet_ids: Type.Optional(
    ids('Subnets in which machines may be placed, best first.', { aliases: ['network_zones'] }),
  ),
  user_data: text('User data, base64.', { aliases: ['machine_bootstrap'] }),
  tags: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Tags of every machine.' })),
  additional_data_tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 128, pattern: '^(?!muster:)' }), {
      maxItems: 20,
      description: "Keys of a request's `additional_data` that become tags of its machines, under the same names.",
    }),
  ),
  attributes: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'HostFactory attributes: `{ncpus: ["Numeric", "4"]}`, or plain values.',
    }),
  ),
  timeout: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 604_800,
      description: 'Seconds after which a request stops waiting for machines.',
    }),
  ),
  ready_timeout: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 36_000,
      description:
        'Seconds from its launch after which a machine that is not ready has failed: it is released and replaced. Default: 600.',
    }),
  ),
  lease: Type.Optional(leaseField),
  retry_until_timeout: Type.Optional(
    Type.Boolean({
      description:
        'Keep trying until the time-out when every offer of every instance lacks capacity, or no instance can serve.',
    }),
  ),
  replace_lost: Type.Optional(
    Type.Boolean({ description: 'Replace machines that are lost after the request completed.' }),
  ),
  on_rebalance: Type.Optional(
    Type.Enum(['ignore', 'report', 'replace'], {
      description:
        'What happens when the provider recommends to replace a machine that may be reclaimed, which only notices show. report (default): the machine is reported as one that is reclaimed in an hour. replace: a replacement is ordered; when it is ready, the machine is reported, and ends after `rebalance_drain`. ignore: nothing.',
    }),
  ),
  rebalance_drain: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: `Seconds from the time when a replacement is ready until the replaced machine is released, with \`on_rebalance: replace\`. A machine that is returned earlier is released at once. Default: ${defaultDrainS}.`,
    }),
  ),
  partial: Type.Optional(
    Type.Enum(['best_effort', 'all_or_nothing'], {
      description: 'What happens when fewer machines are available than requested.',
    }),
  ),
} satisfies TProperties;

export const CommonTemplate = Type.Object(commonTemplateFields, { additionalProperties: true });

/**
 * A template merged from its layers, in canonical spelling. Fields of plugins and unknown fields stand beside the
 * common fields.
 */
export type Template = Static<typeof CommonTemplate> & { readonly [field: string]: unknown };

/** The template as a plugin with these fields sees it. */
export type TemplateOf<Fields extends ObjectSchema> = Template & ValueOf<Fields>;

/** The most machines of one request, and of the template at a time. Infinity: no limit. */
export const limitOf = ({ max_instances = -1 }: Template): number => (max_instances < 0 ? Infinity : max_instances);

/** A template, with the versions that single instances have of it. */
export interface Placed {
  readonly template: Template;
  /**
   * When the files of several instances define the template: the template of each instance. Only these instances may
   * serve it.
   */
  readonly variants?: Readonly<Record<string, Template>>;
}

/** The template that an instance serves, without the defaults of the instance. */
export const variantFor = ({ template, variants }: Placed, instance: string): Template =>
  variants?.[instance] ?? template;
