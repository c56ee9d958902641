import { Type, type Static } from 'typebox';
import { compile } from '../../core/index.ts';
import { LaunchTemplates } from './launch-templates/settings.ts';
import { regionNames } from './connection/region-names.ts';

const orNull = <S extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  schema: S,
  description: string,
  options: object = {},
) => Type.Optional(Type.Union([schema, Type.Null()], { default: null, description, ...options }));

const flag = (fallback: boolean, description: string) =>
  Type.Optional(Type.Boolean({ default: fallback, description }));

/** Which APIs an instance serves. */
const Handlers = Type.Object(
  {
    ec2_fleet: flag(true, 'Serve EC2Fleet.'),
    spot_fleet: flag(true, 'Serve SpotFleet.'),
    auto_scaling_group: flag(true, 'Serve ASG.'),
    run_instances: flag(true, 'Serve RunInstances.'),
  },
  { additionalProperties: true, default: {}, description: 'APIs that this instance serves.' },
);

const Bucket = Type.Object({
  capacity: Type.Number({ exclusiveMinimum: 0, description: 'What it holds at most.' }),
  per_second: Type.Number({ exclusiveMinimum: 0, description: 'What flows in each second.' }),
});

/** Our own brake: calls wait here for their turn, so that the cloud has nothing to refuse. */
const RateLimits = Type.Object(
  {
    enabled: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], {
        default: null,
        description: 'null: for AWS itself, not for an `endpoint_url`.',
      }),
    ),
    buckets: Type.Optional(
      Type.Record(Type.String(), Type.Object({ requests: Type.Optional(Bucket), machines: Type.Optional(Bucket) }), {
        default: {},
        description:
          "Sizes other than AWS's documented ones, by action, where support has raised them; `AutoScaling` is one for all its actions.",
      }),
    ),
  },
  { additionalProperties: false, default: {}, description: 'Rates of calls that the account has.' },
);

/** `config` of a provider entry of type `cloud`. Open: unknown fields are kept. */
export const CloudConfig = Type.Object(
  {
    provider_type: Type.Optional(Type.Literal('cloud', { default: 'cloud', description: 'Constant.' })),
    region: Type.Optional(
      Type.String({ default: 'us-east-1', minLength: 1, description: 'Region.', known_values: regionNames }),
    ),
    profile: orNull(Type.String(), 'Profile of the shared configuration and credentials files.'),
    role_arn: orNull(Type.String(), 'Role to assume with the other credentials.'),
    access_key_id: orNull(Type.String(), 'Access key.', { sensitive: true }),
    secret_access_key: orNull(Type.String(), 'Secret of the access key.', { sensitive: true }),
    session_token: orNull(Type.String(), 'Session token of temporary keys.', { sensitive: true }),
    endpoint_url: orNull(Type.String(), 'Endpoint instead of the public one; `simulator:` is the simulated cloud.'),
    cloud_max_retries: Type.Optional(
      Type.Integer({
        default: 3,
        minimum: 0,
        maximum: 10,
        description: 'Times that a question is repeated. What changes the cloud is never repeated by the SDK.',
      }),
    ),
    cloud_read_timeout: Type.Optional(
      Type.Integer({ default: 30, minimum: 1, maximum: 300, description: 'Seconds to wait for an answer.' }),
    ),
    cloud_connect_timeout: Type.Optional(
      Type.Integer({ default: 10, minimum: 1, maximum: 60, description: 'Seconds to wait for a connection.' }),
    ),
    service_role_spot_fleet: Type.Optional(
      Type.String({
        default: 'AWSServiceRoleForEC2SpotFleet',
        description: 'Name or ARN of the role of Spot Fleets whose template names none.',
      }),
    ),
    handlers: Type.Optional(Handlers),
    launch_template: Type.Optional(LaunchTemplates),
    rate_limits: Type.Optional(RateLimits),
    credential_file: orNull(Type.String(), 'Credentials file instead of the usual one.', { must_exist: true }),
    credential_script: orNull(
      Type.String(),
      'Program that prints credentials as JSON: AccessKeyId, SecretAccessKey, SessionToken, Expiration. Asked anew before they expire.',
      { path: true, must_exist: true, runs: true },
    ),
    key_file: orNull(
      Type.String(),
      'Folder of the SSH keys of machines. It has nothing to do with access to the cloud.',
    ),
    proxy_host: orNull(Type.String(), 'HTTP proxy.'),
    proxy_port: orNull(Type.Integer({ minimum: 1, maximum: 65_535 }), 'Port of the HTTP proxy.'),
  },
  { additionalProperties: true },
);
export type CloudConfig = Static<typeof CloudConfig>;

type Filled<T> = {
  readonly [Name in keyof T]-?: NonNullable<T[Name]> extends object
    ? Filled<NonNullable<T[Name]>>
    : Exclude<T[Name], undefined>;
};
/** The configuration with all defaults filled in. */
export type CloudSettings = Filled<CloudConfig>;

/**
 * Fills what is absent. The broker has checked what is there: checking it again would load the compiler of schemas
 * into the loop's thread.
 */
export const settingsOf = (config: CloudConfig): CloudSettings => compile(CloudConfig).fill(config) as CloudSettings;

const switchOf: Readonly<Record<string, keyof Static<typeof Handlers>>> = {
  EC2Fleet: 'ec2_fleet',
  SpotFleet: 'spot_fleet',
  ASG: 'auto_scaling_group',
  RunInstances: 'run_instances',
};

/** Whether the switches of `handlers` leave an API on. APIs without a switch are served. */
export function servesApi(config: CloudConfig, api: string): boolean {
  const name = switchOf[api];
  return name === undefined || config.handlers?.[name] !== false;
}
