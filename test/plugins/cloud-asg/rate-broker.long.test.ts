import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker, makePlace } from '../../support/boot-broker.ts';

const groups = 20;

test('20 requests for groups at once, and their return, stay within the rates that AWS grants by default', async (t) => {
  t.timeout(120_000);
  const provider = { access_key_id: 'AKIATEST', secret_access_key: 'test', rate_limits: { enabled: true } };
  const options = {
    settings: { observe_moving_ms: 2_000 },
    knobs: { boot_ms: { min: 4_000, max: 6_000 }, shutdown_ms: 2_000, throttle: { default_buckets: true } },
    templates: [
      {
        template_id: 'group',
        provider_api: 'ASG',
        image_id: 'ami-1',
        machine_type: 't3.small',
        subnet_ids: ['subnet-1'],
      },
    ],
    configuration: {
      plugins: ['cloud', 'cloud-asg', 'default-format', 'storage-memory'],
      storage: { type: 'memory' },
    },
  };
  const place = await makePlace(options);
  t.teardown(place.close);
  const path = join(place.directory, 'muster.config.json');
  const config = { ...provider, endpoint_url: place.simulator.url };
  const configuration = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...configuration, providers: [{ name: 'east', type: 'cloud', config }] }));
  const broker = await bootBroker({ ...options, place });
  t.teardown(broker.close);
  const { call, until, simulator } = broker;

  const ids = await Promise.all(
    Array.from({ length: groups }, async () => {
      const { body } = await call('POST', '/machines/request', { template_id: 'group', machine_count: 2 });
      return body.request_id as string;
    }),
  );
  for (const id of ids)
    await until(async () => (await call('GET', `/requests/${id}/status`)).body.status === 'completed');
  const counted = (action: string) => simulator.audit().filter((each) => each.action === action).length;
  t.is(counted('CreateAutoScalingGroup'), groups);
  const looks = counted('DescribeInstances');
  t.true(counted('DescribeAutoScalingGroups') < looks, `${counted('DescribeAutoScalingGroups')} of ${looks}`);

  const machine_ids = ids.flatMap((id) => simulator.ledger().live[id] ?? []);
  t.is(machine_ids.length, 2 * groups);
  await call('POST', '/machines/return', { machine_ids });
  await until(async () => {
    const { live, groups: left, templates } = simulator.ledger();
    return Object.keys(live).length + left.length + templates.length === 0;
  });
  t.deepEqual(
    simulator.audit().filter(({ code }) => code === 'Throttling' || code === 'RequestLimitExceeded'),
    [],
  );
});
