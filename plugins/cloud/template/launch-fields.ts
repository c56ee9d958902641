import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { Type, type Static, type TOptional, type TSchema } from 'typebox';
import { overlay } from './overlay.ts';

/** A template field whose value becomes parameters of the machines by itself. */
interface LaunchField<Schema extends TSchema> {
  readonly schema: Schema;
  /** The parameters, in the form that RunInstances and launch templates share. */
  parameters(value: Static<Schema>): RequestLaunchTemplateData;
}

const field = <Schema extends TSchema>(
  schema: Schema,
  parameters: LaunchField<Schema>['parameters'],
): LaunchField<Schema> => ({ schema, parameters });

const MetadataOptions = Type.Object(
  {
    http_tokens: Type.Optional(
      Type.Enum(['required', 'optional'], {
        description: '`required`: IMDSv2 only. `optional`: IMDSv1 too.',
      }),
    ),
    hop_limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        description: 'The most network hops of an answer; containers need 2.',
        aliases: ['http_put_response_hop_limit'],
      }),
    ),
    http_endpoint: Type.Optional(
      Type.Enum(['enabled', 'disabled'], { description: 'Whether the machine can read its metadata.' }),
    ),
    instance_tags: Type.Optional(
      Type.Enum(['enabled', 'disabled'], {
        description: 'Whether the metadata contain the tags of the machine.',
        aliases: ['instance_metadata_tags'],
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Access of the machine to its metadata. What is absent has the default of the image or the account.',
  },
);

/** The fields whose values become parameters of the machines independent of other fields. One entry makes a field. */
const launchFields = {
  monitoring: field(
    Type.Boolean({
      description: 'Whether CloudWatch gets metrics of the machines each minute; it costs extra.',
      aliases: ['monitoring_enabled', 'detailed_monitoring'],
    }),
    (Enabled) => ({ Monitoring: { Enabled } }),
  ),
  metadata_options: field(MetadataOptions, ({ http_tokens, hop_limit, http_endpoint, instance_tags }) => ({
    MetadataOptions: {
      ...(http_tokens === undefined ? {} : { HttpTokens: http_tokens }),
      ...(hop_limit === undefined ? {} : { HttpPutResponseHopLimit: hop_limit }),
      ...(http_endpoint === undefined ? {} : { HttpEndpoint: http_endpoint }),
      ...(instance_tags === undefined ? {} : { InstanceMetadataTags: instance_tags }),
    },
  })),
  placement_group: field(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Placement group of the machines: the name, or the id `pg-…`.',
      aliases: ['placement_group_name'],
    }),
    (group) => ({ Placement: /^pg-[0-9a-f]{8,}$/.test(group) ? { GroupId: group } : { GroupName: group } }),
  ),
  tenancy: field(
    Type.Enum(['default', 'dedicated', 'host'], {
      description: 'Whether the hardware is shared: `default`, `dedicated`, or `host` (a Dedicated Host).',
    }),
    (Tenancy) => ({ Placement: { Tenancy } }),
  ),
  ebs_optimized: field(
    Type.Boolean({ description: 'Dedicated bandwidth to volumes, for old machine types that do not always have it.' }),
    (EbsOptimized) => ({ EbsOptimized }),
  ),
};

type LaunchFields = typeof launchFields;

/** The schemas of the fields, for the fields of a template. */
export const launchFieldSchemas = Object.fromEntries(
  Object.entries(launchFields).map(([name, { schema }]) => [name, Type.Optional(schema)]),
) as unknown as { readonly [Name in keyof LaunchFields]: TOptional<LaunchFields[Name]['schema']> };

/** The parameters that the fields of a template set. */
export function launchParametersOf(template: Readonly<Record<string, unknown>>): RequestLaunchTemplateData {
  return Object.entries(launchFields).reduce<Record<string, unknown>>((all, [name, { parameters }]) => {
    const value = template[name];
    return value === undefined
      ? all
      : overlay(all, (parameters as (given: unknown) => Record<string, unknown>)(value));
  }, {});
}
