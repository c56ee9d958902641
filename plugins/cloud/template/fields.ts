import { Type } from 'typebox';
import type { TemplateOf } from '../../../core/index.ts';
import { mostPools } from '../launch/most-pools.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));
const free = (description: string, options: object = {}) =>
  Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description, ...options }));

/** Template fields that all APIs of the cloud share. Aliases are HostFactory's names, where they mean the same. */
export const cloudFields = Type.Object({
  price_type: Type.Optional(
    Type.Enum(['ondemand', 'spot', 'mixed', 'heterogeneous'], {
      description:
        'Market: `ondemand` (default, but `spot` with SpotFleet), `spot`, or `mixed`; `heterogeneous` is another word for `mixed`.',
    }),
  ),
  machine_types: Type.Optional(
    Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 999 }), {
      maxProperties: mostPools,
      description: 'Machine types that may be had, each with its weight. With `subnet_ids` they may make 300 pools.',
      aliases: ['vm_types'],
    }),
  ),
  machine_types_priority: Type.Optional(
    Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
      maxProperties: mostPools,
      description: 'Priority of machine types; the lowest number is taken first.',
      aliases: ['vm_types_priority'],
    }),
  ),
  percent_on_demand: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Share of machines to be had on demand, where the price type is `mixed` or `spot`.',
    }),
  ),
  allocation_strategy: text(
    'How Spot pools are chosen, in any spelling: `price-capacity-optimized`, `capacityOptimized`, `lowestPrice` …',
  ),
  allocation_strategy_on_demand: text('How on-demand pools are chosen: `lowest-price` or `prioritized`.'),
  max_price: Type.Optional(
    Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.String({ pattern: '^\\d+(\\.\\d+)?$', maxLength: 20 })], {
      description: 'The most that a Spot machine may cost, in US dollars for an hour and a unit of its weight.',
      aliases: ['max_spot_price', 'spot_price'],
    }),
  ),
  instance_profile: text('Instance profile of the machines: a name or an ARN.'),
  root_volume_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 16_384,
      description: 'Size of the root volume in GiB.',
      aliases: ['root_device_volume_size'],
    }),
  ),
  volume_type: Type.Optional(
    Type.Enum(['gp2', 'gp3', 'io1', 'io2', 'standard', 'st1', 'sc1'], { description: 'Type of the root volume.' }),
  ),
  iops: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 256_000, description: 'I/O operations a second of the root volume.' }),
  ),
  launch_template_id: text('Launch template to start from.'),
  launch_template_version: Type.Optional(
    Type.Union([Type.String(), Type.Integer({ minimum: 1 })], {
      description:
        'Version of the launch template: a number, `$Latest` or `$Default` (default). It is resolved to a number for each order.',
    }),
  ),
  instance_requirements: free(
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
              '`open`: in any open reservation that fits, else outside; instant fleets then use reservations first. `none`: in no reservation. `capacity-reservations-only`: in one or not at all.',
          }),
        ),
        id: text('The reservation to launch in.'),
        resource_group_arn: text('The resource group of reservations to launch in.'),
      },
      {
        additionalProperties: false,
        description:
          'Capacity reservation of on-demand machines: a preference, a reservation, or a group of reservations.',
      },
    ),
  ),
  launch_template_spec: free(
    'Laid over the launch template data that muster makes, in EC2 spelling. Template files may name a file with it instead.',
  ),
  launch_template_spec_file: text(
    'In template files: the JSON or YAML file that holds `launch_template_spec`, relative to the template directory.',
  ),
  provider_api_spec: free(
    'Laid over the parameters of the launching call, in EC2 spelling. Template files may name a file with it instead.',
  ),
  provider_api_spec_file: text(
    'In template files: the JSON or YAML file that holds `provider_api_spec`, relative to the template directory.',
  ),
});

/** A template as the cloud's APIs see it. */
export type CloudTemplate = TemplateOf<typeof cloudFields>;
