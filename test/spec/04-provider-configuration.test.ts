import test from 'ava';
import { loadConfiguration } from '../../config/load.ts';
import type { BootedBroker } from '../support/boot-broker.ts';
import { camel, specBroker } from './spec-broker.ts';

let broker: BootedBroker;
test.before(async () => {
  broker = await specBroker();
});
test.after.always(() => broker.close());

const validate = async (config: object) =>
  (await broker.call('POST', '/providers/validate', { providers: [{ name: 'one', type: 'cloud', config }] })).body
    .providers[0];
const environment = async (variables: Record<string, string>) =>
  (await broker.call('POST', '/providers/validate-env', { provider_type: 'cloud', environment_variables: variables }))
    .body;
const at = (value: any, field: string): unknown => field.split('.').reduce((inner, step) => inner?.[step], value);
const nested = (field: string, value: unknown): object =>
  field.split('.').reduceRight((inner: unknown, step) => ({ [step]: inner }), value) as object;
const variable = (field: string) => `MUSTER_CLOUD_${field.toUpperCase().replace('.', '__')}`;

interface Row {
  readonly field: string;
  readonly fallback: unknown;
  /** Text of an environment variable, and what it means. */
  readonly set: readonly [string, unknown];
  /** Values that are refused. */
  readonly wrong: readonly unknown[];
}

const text = (field: string, fallback: unknown = null): Row => ({
  field,
  fallback,
  set: ['there', 'there'],
  wrong: [5, false, []],
});
const bounded = (field: string, fallback: unknown, from: number, to: number): Row => ({
  field,
  fallback,
  set: [String(to), to],
  wrong: [from - 1, to + 1, from + 0.5, String(from)],
});
const flag = (field: string, fallback: boolean): Row => ({
  field,
  fallback,
  set: [String(!fallback), !fallback],
  wrong: ['yes', 1, 'true'],
});

/** The rows of the table, in its order. */
const rows: readonly Row[] = [
  { field: 'provider_type', fallback: 'cloud', set: ['cloud', 'cloud'], wrong: ['other', null] },
  text('region', 'us-east-1'),
  ...['profile', 'role_arn', 'access_key_id', 'secret_access_key', 'session_token', 'endpoint_url'].map((field) =>
    text(field),
  ),
  bounded('cloud_max_retries', 3, 0, 10),
  bounded('cloud_read_timeout', 30, 1, 300),
  bounded('cloud_connect_timeout', 10, 1, 60),
  text('service_role_spot_fleet', 'AWSServiceRoleForEC2SpotFleet'),
  ...['ec2_fleet', 'spot_fleet', 'auto_scaling_group', 'run_instances'].map((name) => flag(`handlers.${name}`, true)),
  flag('launch_template.create_per_request', true),
  {
    field: 'launch_template.naming_strategy',
    fallback: 'request_based',
    set: ['request_based', 'request_based'],
    wrong: [5, null],
  },
  {
    field: 'launch_template.version_strategy',
    fallback: 'incremental',
    set: ['incremental', 'incremental'],
    wrong: [5, null],
  },
  flag('launch_template.reuse_existing', true),
  flag('launch_template.cleanup_old_versions', false),
  bounded('launch_template.max_versions_per_template', 10, 1, 100),
  ...['credential_file', 'key_file', 'proxy_host'].map((field) => text(field)),
  bounded('proxy_port', null, 1, 65_535),
];
const secrets = new Set(['access_key_id', 'secret_access_key', 'session_token']);

for (const { field, fallback, set, wrong } of rows) {
  test(`provider configuration: ${field} defaults to ${JSON.stringify(fallback)}`, async (t) => {
    t.deepEqual(at((await environment({})).resolved_configuration, field), fallback);
  });

  test(`provider configuration: ${field} is refused outside its type and bounds`, async (t) => {
    for (const value of wrong) {
      const { valid, errors } = await validate(nested(field, value));
      t.false(valid, JSON.stringify(value));
      t.true(
        errors.some((each: string) => each.startsWith(`/config/${field.replace('.', '/')}: `)),
        `${JSON.stringify(value)}: ${errors}`,
      );
    }
  });

  test(`provider configuration: ${variable(field)} overrides ${field}`, async (t) => {
    const [word, value] = set;
    const answer = await environment({ [variable(field)]: word });
    t.deepEqual(answer.environment_variables, { recognized: [variable(field)], ignored: [], invalid: [] });
    t.deepEqual(at(answer.resolved_configuration, field), secrets.has(field) ? '***' : value);
  });
}

test('provider configuration: the ends of every range are inside it', async (t) => {
  for (const [field, ends] of Object.entries({
    cloud_max_retries: [0, 10],
    cloud_read_timeout: [1, 300],
    cloud_connect_timeout: [1, 60],
    'launch_template.max_versions_per_template': [1, 100],
    proxy_port: [1, 65_535],
  }))
    for (const end of ends) t.true((await validate(nested(field, end))).valid, `${field} ${end}`);
});

test('provider configuration: what may be null takes null', async (t) => {
  for (const { field, fallback } of rows)
    if (fallback === null) t.true((await validate({ [field]: null })).valid, field);
});

test('provider configuration: no field is required, additional ones are accepted and reported', async (t) => {
  t.deepEqual(await validate({}), { name: 'one', valid: true, errors: [], warnings: [] });
  const { valid, warnings } = await validate({ reigon: 'x' });
  t.true(valid);
  t.deepEqual(warnings, ["/config/reigon: unknown field, kept as it is; did you mean 'region'?"]);
});

test('provider configuration: every field is read in camelCase too', async (t) => {
  for (const { field, wrong } of rows) {
    const spelt = nested(field.split('.').map(camel).join('.'), wrong[0]);
    const { valid, warnings } = await validate(spelt);
    t.false(valid, field);
    t.deepEqual(warnings, [], field);
  }
});

test('provider configuration: an object accepts JSON text, and nested variables override it', async (t) => {
  const { resolved_configuration, valid } = await environment({
    MUSTER_CLOUD_HANDLERS: '{"ec2_fleet": false, "spot_fleet": false}',
    MUSTER_CLOUD_HANDLERS__EC2_FLEET: 'true',
  });
  t.true(valid);
  t.like(resolved_configuration.handlers, { ec2_fleet: true, spot_fleet: false, run_instances: true });
});

test('provider entry: name, type, enabled, priority, weight, config and template_defaults are all it has, with our own beside', async (t) => {
  const entry = {
    name: 'full',
    type: 'cloud',
    enabled: true,
    priority: 1,
    weight: 10,
    config: {},
    template_defaults: { subnet_ids: ['subnet-1'], security_group_ids: ['sg-1'], key_name: 'k' },
  };
  const { body } = await broker.call('POST', '/providers/validate', {
    providers: [entry, { ...entry, name: 'odd', wieght: 1 }],
  });
  t.deepEqual(body.providers, [
    { name: 'full', valid: true, errors: [], warnings: [] },
    { name: 'odd', valid: false, errors: ["/wieght: unknown field; did you mean 'weight'?"], warnings: [] },
  ]);
  t.false(body.valid);
});

test('provider entry: name and type are needed, the others have defaults', async (t) => {
  const { body } = await broker.call('POST', '/providers/validate', {
    providers: [{}, { name: 'bare', type: 'cloud' }],
  });
  t.deepEqual(body.providers[0].errors, ['/name: is required', '/type: is required']);
  t.true(body.providers[1].valid);
});

test('provider entry: template_defaults fill what a template leaves open', async (t) => {
  const filled = await specBroker({
    configuration: {
      providers: [
        {
          name: 'east',
          type: 'cloud',
          template_defaults: { image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] },
        },
      ],
    },
    templates: [{ template_id: 'open' }],
  });
  t.teardown(() => filled.close());
  t.is((await filled.call('POST', '/machines/request', { template_id: 'open', machine_count: 1 })).status, 200);
});

test('provider configuration: a variable of the real environment reaches every instance of the type', async (t) => {
  const { configuration } = await loadConfiguration({
    cwd: broker.place.directory,
    env: {
      MUSTER_CLOUD_REGION: 'eu-west-1',
      MUSTER_CLOUD_HANDLERS__EC2_FLEET: 'false',
      MUSTER_CLOUD_CLOUD_MAX_RETRIES: '7',
    },
  });
  t.like(configuration.providers[0]?.config, { region: 'eu-west-1', cloud_max_retries: 7 });
  t.like(configuration.providers[0]?.config['handlers'] as object, { ec2_fleet: false, run_instances: true });
});
