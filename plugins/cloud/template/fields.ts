import { Type } from 'typebox';
import type { TemplateOf } from '../../../core/index.ts';
import { priceTypes } from '../launch/markets.ts';
import { interfaceFields } from './interfaces.ts';
import { launchFieldSchemas } from './launch-fields.ts';
import { volumeFields } from './volumes.ts';

/** The most overrides of a fleet in EC2, and so the most pools of a template in each market. */
export const maxPools = 300;

const text = (description: string, options: object = {}) => Type.Optional(Type.String({ description, ...options }));
const anyObject = (description: string, options: object = {}) =>
  Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description, ...options }));

/**
 * Template fields that all provider APIs of the cloud share. Aliases are the names of HostFactory with the same
 * meaning.
 */
export const cloudFields = Type.Object({
  price_type: Type.Optional(
    Type.Enum([...priceTypes], {
      description:
        'Market: `ondemand` (default, but `spot` with SpotFleet), `spot`, `mixed`, or `capacity_block`; `heterogeneous` means the same as `mixed`. With `mixed`, on-demand machines replace Spot machines that are not available.',
      value_aliases: { 'on-demand': 'ondemand', 'capacity-block': 'capacity_block', capacityBlock: 'capacity_block' },
    }),
  ),
  machine_types: Type.Optional(
    Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 999 }), {
      maxProperties: maxPools,
      description:
        'Machine types that may be launched, each with its weight. Together with `subnet_ids` they may give 300 pools.',
      aliases: ['vm_types'],
    }),
  ),
  machine_types_on_demand: Type.Optional(
    Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 999 }), {
      maxProperties: maxPools,
      description:
        'Machine types of the on-demand machines that replace Spot machines with the price type `mixed`, each with its weight. Default: `machine_types`.',
      aliases: ['vm_types_on_demand', 'machine_types_ondemand'],
    }),
  ),
  machine_types_priority: Type.Optional(
    Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
      maxProperties: maxPools,
      description: 'Priority of machine types; the lowest number is taken first.',
      aliases: ['vm_types_priority'],
    }),
  ),
  percent_on_demand: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Percentage of on-demand machines, when the price type is `mixed` or `spot`.',
    }),
  ),
  allocation_strategy: text(
    'How Spot pools are chosen, in any spelling: `price-capacity-optimized`, `capacityOptimized`, `lowestPrice` …',
  ),
  allocation_strategy_on_demand: text('How on-demand pools are chosen: `lowest-price` or `prioritized`.', {
    aliases: ['allocation_strategy_ondemand'],
  }),
  pools_count: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxPools,
      description:
        'Over how many Spot pools the strategy `lowest-price` divides the machines. Without `allocation_strategy` it implies that strategy.',
    }),
  ),
  max_price: Type.Optional(
    Type.Union(
      [Type.Number({ exclusiveMinimum: 0 }), Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,20})?$', maxLength: 20 })],
      {
        description: 'The highest price of a Spot machine, in US dollars for an hour and a unit of its weight.',
        aliases: ['max_spot_price', 'spot_price'],
      },
    ),
  ),
  instance_profile: text('Instance profile of the machines: a name or an ARN.', { aliases: ['machine_role'] }),
  ...volumeFields,
  ...interfaceFields,
  ...launchFieldSchemas,
  launch_template_id: text(
    'Launch template to start from. Volumes are merged by device; subnet and groups go into its first network interface.',
  ),
  launch_template_version: Type.Optional(
    Type.Union([Type.String(), Type.Integer({ minimum: 1 })], {
      description:
        'Version of the launch template: a number, `$Latest` or `$Default` (default). It is resolved to a number for each order.',
    }),
  ),
  instance_requirements: anyObject(
    'Attributes that machine types must have, as in EC2: `{VCpuCount: {Min: 2}, MemoryMiB: {Min: 4096}}`.',
    {
      aliases: ['abis_instance_requirements'],
    },
  ),
  capacity_reservation: Type.Optional(
    Type.Object(
      {
        preference: Type.Optional(
          Type.Enum(['open', 'none', 'capacity-reservations-only'], {
            description:
              '`open`: in any matching open reservation, or outside; instant fleets then use reservations first. `none`: in no reservation. `capacity-reservations-only`: only in a reservation.',
          }),
        ),
        id: text('The reservation to launch in.'),
        resource_group_arn: text('The resource group of reservations to launch in.'),
      },
      {
        additionalProperties: false,
        description:
          'Capacity reservation of on-demand machines, or capacity block: a preference, a reservation, or a group of reservations.',
      },
    ),
  ),
  launch_template_spec: anyObject(
    'Overrides the launch template data that muster creates, in EC2 spelling. Template files may name a file with it instead.',
  ),
  launch_template_spec_file: text(
    'In template files: the JSON or YAML file that holds `launch_template_spec`, relative to the template directory.',
  ),
  provider_api_spec: anyObject(
    'Overrides the parameters of the launching call, in EC2 spelling. Template files may name a file with it instead.',
  ),
  provider_api_spec_file: text(
    'In template files: the JSON or YAML file that holds `provider_api_spec`, relative to the template directory.',
  ),
});

/** A template with the fields of the cloud. */
export type CloudTemplate = TemplateOf<typeof cloudFields>;
