import test, { type ExecutionContext } from 'ava';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { bootBroker } from '../../support/boot-broker.ts';

const apis = ['RunInstances', 'EC2Fleet', 'SpotFleet', 'ASG'] as const;
const machine = { image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] };

/**
 * A broker with every API of the cloud, on which one caller makes a template and asks for a machine of it while
 * another goes on.
 */
async function boot(t: ExecutionContext, knobs: KnobChange = {}) {
  const told: string[] = [];
  const hear = (_: unknown, message: string) => void told.push(message);
  const broker = await bootBroker({
    storage: 'memory',
    knobs,
    templates: [{ template_id: 'good', provider_api: 'RunInstances', ...machine }],
    configuration: {
      plugins: [
        'cloud',
        'cloud-runinstances',
        'cloud-ec2fleet',
        'cloud-spotfleet',
        'cloud-asg',
        'default-format',
        'storage-memory',
      ],
    },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: hear },
  });
  t.teardown(() => broker.close());
  const { call, until } = broker;
  const ended = (id: string) =>
    until(async () => {
      const { body } = await call('GET', `/requests/${id}/status`);
      return ['completed', 'failed', 'cancelled'].includes(body.status) && body;
    });
  let templates = 0;
  return {
    ...broker,
    told,
    ended,
    /** What the caller is told: a refusal in words, or how the request ended. */
    async order(
      fields: object,
      timeout = 10,
    ): Promise<{ readonly refused: boolean; readonly said: string; readonly status: string }> {
      const template_id = `t${(templates += 1)}`;
      const made = await call('POST', '/templates/', { template_id, ...fields });
      if (made.status !== 201) return { refused: true, said: JSON.stringify(made.body), status: `${made.status}` };
      const { status, body } = await call('POST', '/machines/request', { template_id, machine_count: 1, timeout });
      if (status >= 400) return { refused: true, said: JSON.stringify(body), status: `${status}` };
      const { message, status: became } = await until(async () => {
        const { body: present } = await call('GET', `/requests/${body.request_id}/status`);
        return present.status !== 'pending' && present;
      });
      await call('DELETE', `/requests/${body.request_id}`);
      return { refused: false, said: message, status: became };
    },
    /** Another caller has what it asks for. */
    async othersGoOn(about: string): Promise<void> {
      const provider = (await call('GET', '/providers/east')).body;
      t.not(provider.status, 'unhealthy', `${about}: ${provider.message}`);
      const { status, body } = await call('POST', '/machines/request', { template_id: 'good', machine_count: 1 });
      t.is(status, 200, `${about}: ${JSON.stringify(body)}`);
      t.is((await ended(body.request_id)).status, 'completed', about);
    },
  };
}

const numbered = (count: number, name: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => name(index));
const types = (count: number) =>
  Object.fromEntries(numbered(count, (index) => `m${index}.large`).map((name) => [name, 1]));

test('lists that make more pools than a fleet may have are refused with their number, and the instance stays healthy', async (t) => {
  const broker = await boot(t);
  for (const provider_api of apis)
    for (const [some, more] of [
      [160, 160],
      [301, 1],
      [1, 301],
      [2_000, 1_500],
    ] as const) {
      const about = `${provider_api} ${some} × ${more}`;
      const subnet_ids = numbered(some, (index) => `subnet-${index}`);
      const { said, refused } = await broker.order({
        provider_api,
        image_id: 'ami-1',
        machine_types: types(more),
        subnet_ids,
        price_type: 'spot',
      });
      t.true(refused, `${about}: ${said}`);
      t.regex(said, /subnet_ids|machine_types/, about);
      t.notRegex(said, /PLUGIN_ERROR|contract/, about);
    }
  await broker.othersGoOn('lists');
  t.deepEqual(broker.told, []);
});

/** What people are told of a plugin that failed. */
const bug = /broke its contract|plugin '|is not a function|undefined|not iterable|Cannot /;
const tags = (Tags: unknown) => ({ TagSpecifications: [{ ResourceType: 'instance', Tags }] });
/** More of them, without a broker, in the tests of the plugins. */
const specifications: readonly object[] = [
  { launch_template_spec: tags([null]) },
  { provider_api_spec: tags([null]) },
  { provider_api_spec: { TagSpecifications: [null], Tags: [null] } },
  {
    provider_api_spec: {
      LaunchTemplateConfigs: [{ Overrides: [null] }],
      MixedInstancesPolicy: { LaunchTemplate: { Overrides: [null] } },
    },
  },
  { provider_api_spec: { LaunchTemplateConfigs: numbered(60, () => ''), ValidUntil: 'soon', VPCZoneIdentifier: [7] } },
  { provider_api_spec: { Parts: numbered(110_000, () => '').map(() => 0) } },
  { launch_template_spec: { Parts: JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) } },
];

test('any error in a native specification is charged to its template or its request', async (t) => {
  const broker = await boot(t);
  await Promise.all(
    apis.flatMap((provider_api) =>
      specifications.map(async (spec) => {
        const { said } = await broker.order({
          provider_api,
          ...machine,
          ...(provider_api === 'SpotFleet' ? { price_type: 'spot' } : {}),
          ...spec,
        });
        t.notRegex(said, bug, JSON.stringify(spec).slice(0, 300));
      }),
    ),
  );
  await broker.othersGoOn('native specifications');
  t.deepEqual(broker.told, []);
});

test('an order for which the instance has no permission leaves the instance healthy for other callers', async (t) => {
  const broker = await boot(t, { auth: { denied: [{ action: 'CreateFleet' }] } });
  for (let i = 0; i < 4; i++) {
    const { said } = await broker.order({ provider_api: 'EC2Fleet', ...machine }, 90);
    t.regex(said, /UnauthorizedOperation/);
    await broker.othersGoOn('a fleet that may not be made');
  }
});
