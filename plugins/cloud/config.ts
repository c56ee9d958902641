import { Type, type Static } from 'typebox';
import { compile } from '../../core/index.ts';
import { LaunchTemplates } from './launch-templates/settings.ts';
import { Prices } from './prices/settings.ts';
import { regionNames } from './connection/region-names.ts';

const orNull = <S extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  schema: S,
  description: string,
  options: object = {},
) => Type.Optional(Type.Union([schema, Type.Null()], { default: null, description, ...options }));

const flag = (fallback: boolean, description: string) =>
  Type.Optional(Type.Boolean({ default: fallback, description }));

/** The provider APIs that an instance serves. */
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
  capacity: Type.Number({ exclusiveMinimum: 0, description: 'The most tokens in the bucket.' }),
  per_second: Type.Number({ exclusiveMinimum: 0, description: 'Tokens that are added each second.' }),
});

/** The rate limiter of the broker: calls wait here, so that the cloud refuses none. */
const RateLimits = Type.Object(
  {
    enabled: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], {
        default: null,
        description: 'null: enabled for AWS itself, disabled for an endpoint outside of AWS.',
      }),
    ),
    buckets: Type.Optional(
      Type.Record(Type.String(), Type.Object({ requests: Type.Optional(Bucket), machines: Type.Optional(Bucket) }), {
        default: {},
        description:
          'Bucket sizes by action, where AWS support has raised the documented ones; `AutoScaling` is one bucket for all its actions.',
      }),
    ),
  },
  { additionalProperties: false, default: {}, description: 'Rate limits of the account.' },
);

const endpoint = (service: string) => orNull(Type.String(), `Endpoint of ${service}.`);

/** Endpoints of single services. */
const Endpoints = Type.Object(
  {
    ec2: endpoint('EC2'),
    autoscaling: endpoint('Auto Scaling'),
    sts: endpoint('STS'),
    ssm: endpoint('Systems Manager, for images by parameter'),
    sqs: endpoint('SQS, for the interruption queue'),
    iam: endpoint('IAM, for the checks of muster doctor'),
    servicequotas: endpoint('Service Quotas, for the checks of muster doctor'),
  },
  {
    additionalProperties: false,
    default: {},
    description:
      'Endpoints of single services, such as private names. They come before `endpoint_url`; a service without any has its public endpoint.',
  },
);

/** The queue that tells about interruptions. */
const InterruptionQueue = Type.Object(
  {
    url: orNull(
      Type.String(),
      'URL of a queue of SQS to which rules of EventBridge send the events of EC2 and AWS Health. null: no queue.',
      { pattern: '^https?://[^/]+/.' },
    ),
  },
  {
    additionalProperties: false,
    default: {},
    description: 'Notices of interruptions, which arrive within seconds and make observations rarer.',
  },
);

/** The `config` of a provider entry of type `cloud`. Unknown fields are kept. */
export const CloudConfig = Type.Object(
  {
    provider_type: Type.Optional(Type.Literal('cloud', { default: 'cloud', description: 'Constant.' })),
    region: Type.Optional(
      Type.String({ default: 'us-east-1', minLength: 1, description: 'Region.', known_values: regionNames }),
    ),
    profile: orNull(Type.String(), 'Profile of the shared configuration and credentials files.'),
    role_arn: orNull(Type.String(), 'Role to assume with the other credentials.'),
    role_external_id: orNull(
      Type.String({ minLength: 2, maxLength: 1224, pattern: '^[\\w+=,.@:/-]*$' }),
      'External id that the trust policy of `role_arn` demands.',
    ),
    role_session_name: Type.Optional(
      Type.String({
        default: 'muster',
        pattern: '^[\\w+=,.@-]{2,64}$',
        description: 'Name of the sessions of `role_arn`, which CloudTrail shows.',
      }),
    ),
    role_duration: orNull(
      Type.Integer({ minimum: 900, maximum: 43_200 }),
      'Seconds for which the credentials of `role_arn` are valid; null: one hour. The role must allow it.',
    ),
    access_key_id: orNull(Type.String(), 'Access key.', { sensitive: true }),
    secret_access_key: orNull(Type.String(), 'Secret of the access key.', { sensitive: true }),
    session_token: orNull(Type.String(), 'Session token of temporary keys.', { sensitive: true }),
    endpoint_url: orNull(
      Type.String(),
      'Endpoint of all services instead of the public ones; `simulator:` is the simulated cloud. An endpoint with the label `ec2` in its name serves EC2 alone.',
    ),
    endpoints: Type.Optional(Endpoints),
    cloud_max_retries: Type.Optional(
      Type.Integer({
        default: 3,
        minimum: 0,
        maximum: 10,
        description:
          'How often the SDK repeats a call that reads. The SDK never repeats a call that changes the cloud.',
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
        description: 'Name or ARN of the role of Spot Fleets whose template names no role.',
      }),
    ),
    handlers: Type.Optional(Handlers),
    launch_template: Type.Optional(LaunchTemplates),
    terminate_on_reclaim: flag(
      true,
      'Terminate a returned Spot machine also when the cloud has announced to take it back. `false`: leave such a machine to the cloud until one minute after the announced time.',
    ),
    tag_instance_id: flag(
      false,
      'Tag each machine and its volumes with the id of the machine (tag `InstanceID`), a moment after it started. Each machine is one call of CreateTags, of which AWS allows ten a second.',
    ),
    rate_limits: Type.Optional(RateLimits),
    prices: Type.Optional(Prices),
    interruption_queue: Type.Optional(InterruptionQueue),
    credential_file: orNull(Type.String(), 'Credentials file instead of the default one.', { must_exist: true }),
    credential_script: orNull(
      Type.String(),
      'Program that prints credentials as JSON: AccessKeyId, SecretAccessKey, SessionToken, Expiration. It runs again before they expire.',
      { path: true, must_exist: true, runs: true },
    ),
    key_file: orNull(Type.String(), 'Folder of the SSH keys of machines. It is not used for access to the cloud.'),
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
 * Fills in the defaults. It validates nothing: the broker has validated the configuration, and a second validation
 * would load the schema compiler into the thread of the loop.
 */
export const settingsOf = (config: CloudConfig): CloudSettings => compile(CloudConfig).fill(config) as CloudSettings;

const switchOf: Readonly<Record<string, keyof Static<typeof Handlers>>> = {
  EC2Fleet: 'ec2_fleet',
  SpotFleet: 'spot_fleet',
  ASG: 'auto_scaling_group',
  RunInstances: 'run_instances',
};

/** Whether the switches of `handlers` leave a provider API on. An API without a switch is served. */
export function servesApi(config: CloudConfig, api: string): boolean {
  const name = switchOf[api];
  return name === undefined || config.handlers?.[name] !== false;
}
