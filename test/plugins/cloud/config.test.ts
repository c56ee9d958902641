import test from 'ava';
import { compile } from '../../../core/index.ts';
import { CloudConfig, settingsOf } from '../../../plugins/cloud/config.ts';
import { cloud } from '../../../plugins/cloud/index.ts';
import { contextOf } from './support.ts';

test('no field is needed, and all defaults are those of the specification', (t) => {
  t.deepEqual(settingsOf({}) as object, {
    provider_type: 'cloud',
    tag_instance_id: false,
    terminate_on_reclaim: true,
    region: 'us-east-1',
    profile: null,
    role_arn: null,
    access_key_id: null,
    secret_access_key: null,
    session_token: null,
    endpoint_url: null,
    endpoints: { ec2: null, autoscaling: null, sts: null, ssm: null, sqs: null, iam: null, servicequotas: null },
    role_external_id: null,
    role_session_name: 'muster',
    role_duration: null,
    cloud_max_retries: 3,
    cloud_read_timeout: 30,
    cloud_connect_timeout: 10,
    service_role_spot_fleet: 'AWSServiceRoleForEC2SpotFleet',
    handlers: { ec2_fleet: true, spot_fleet: true, auto_scaling_group: true, run_instances: true },
    launch_template: {
      create_per_request: true,
      naming_strategy: 'request_based',
      version_strategy: 'incremental',
      reuse_existing: true,
      cleanup_old_versions: false,
      max_versions_per_template: 10,
    },
    interruption_queue: { url: null },
    prices: { factor: 1, table: {} },
    rate_limits: { enabled: null, buckets: {} },
    credential_file: null,
    credential_script: null,
    key_file: null,
    proxy_host: null,
    proxy_port: null,
  });
});

const bounds = [
  ['cloud_max_retries', 0, 10],
  ['cloud_read_timeout', 1, 300],
  ['cloud_connect_timeout', 1, 60],
  ['proxy_port', 1, 65_535],
] as const;
const findings = (field: string, value: unknown) =>
  compile(CloudConfig)
    .parse({ [field]: value })
    .findings?.map((finding) => finding.path);
for (const [field, least, most] of bounds) {
  test(`${field} is from ${least} to ${most}`, (t) => {
    for (const good of [least, most]) t.is(findings(field, good), undefined);
    for (const bad of [least - 1, most + 1, 1.5, 'x'])
      t.deepEqual([...new Set(findings(field, bad))], [`/${field}`], String(bad));
  });
}

test('max_versions_per_template is from 1 to 100', (t) => {
  const parse = (max_versions_per_template: number) =>
    compile(CloudConfig).parse({ launch_template: { max_versions_per_template } });
  for (const good of [1, 100]) t.is(parse(good).findings, undefined);
  for (const bad of [0, 101])
    t.deepEqual(
      parse(bad).findings?.map(({ path }) => path),
      ['/launch_template/max_versions_per_template'],
    );
});

test('nested objects get their defaults, unknown fields are kept, and secrets are marked', (t) => {
  const settings = settingsOf({ handlers: { spot_fleet: false }, colour: 'blue' } as object);
  t.deepEqual(settings.handlers as object, {
    ec2_fleet: true,
    spot_fleet: false,
    auto_scaling_group: true,
    run_instances: true,
  });
  t.is((settings as unknown as { colour: string }).colour, 'blue');
  const properties = CloudConfig.properties as unknown as Record<string, { sensitive?: boolean }>;
  const secret = Object.keys(properties).filter((name) => properties[name]?.sensitive);
  t.deepEqual(secret, ['access_key_id', 'secret_access_key', 'session_token']);
});

const served = (config: object) =>
  ['EC2Fleet', 'SpotFleet', 'ASG', 'RunInstances'].filter((api) => cloud.serves?.(config, api));
test('an API that is switched off is not served', (t) => {
  t.deepEqual(served({}), ['EC2Fleet', 'SpotFleet', 'ASG', 'RunInstances']);
  t.deepEqual(served({ handlers: { ec2_fleet: false, auto_scaling_group: false } }), ['SpotFleet', 'RunInstances']);
});

test('connecting does not resolve the endpoint', async (t) => {
  const session = await cloud.connect(
    { endpoint_url: 'simulator:' },
    contextOf({ endpoint: () => Promise.reject(new Error('asked')) }),
  );
  t.is(session.settings.region, 'us-east-1');
  await cloud.close?.(session);
});
