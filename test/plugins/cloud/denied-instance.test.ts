import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker, makePlace } from '../../support/boot-broker.ts';

const template = {
  template_id: 't',
  image_id: 'ami-1',
  machine_types: { 't3.small': 1, 't3.medium': 1 },
  subnet_ids: ['subnet-1', 'subnet-2'],
};

const quick = {
  fleets: { start_ms: 20, launch_ms: 20, retry_ms: 100, modify_ms: 20, notice_ms: 20, stale_ms: 0, history_ms: 0 },
  groups: { react_ms: 20, health_ms: 50, retry_ms: 50, delete_ms: 20 },
};

for (const [provider_api, action, fields] of [
  ['RunInstances', 'RunInstances', {}],
  ['EC2Fleet', 'CreateFleet', {}],
  ['EC2Fleet', 'CreateFleet', { fleet_type: 'maintain' }],
  ['EC2Fleet', 'CreateLaunchTemplate', {}],
  ['ASG', 'CreateAutoScalingGroup', {}],
] as const)
  test(`${provider_api} ${JSON.stringify(fields)}: an instance that may not call ${action} is left for the next`, async (t) => {
    const place = await makePlace({
      storage: 'memory',
      templates: [{ ...template, provider_api, ...fields }],
      configuration: {
        plugins: ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'cloud-asg', 'default-format', 'storage-memory'],
      },
      knobs: { ...quick, auth: { denied: [{ action, account: 'AKIAEAST' }] } },
    });
    const file = join(place.directory, 'muster.config.json');
    const providers = ['east', 'west'].map((name, index) => ({
      name,
      type: 'cloud',
      priority: index + 1,
      config: {
        endpoint_url: place.simulator.url,
        access_key_id: `AKIA${name.toUpperCase()}`,
        secret_access_key: 'test',
      },
    }));
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), providers }));
    const { call, until, close } = await bootBroker({ place });
    t.teardown(async () => {
      await close();
      await place.close();
    });
    const { body } = await call('POST', '/machines/request', { template_id: 't', machine_count: 2 });
    const done = await until(async () => {
      const { body: status } = await call('GET', `/requests/${body.request_id}/status`);
      return /completed|failed/.test(status.status) ? status : undefined;
    });
    t.is(done.status, 'completed', done.message);
    t.is(done.provider_name ?? done.provider_instance, 'west');
    t.is(done.machines.length, 2);
    t.is(Object.values(place.simulator.ledger().live).flat().length, 2);
    t.is((await call('GET', '/providers/east')).body.status, 'healthy');
  });

test('RunInstances: a subnet that the instance may not use is left for the next subnet', async (t) => {
  const { call, until, close } = await bootBroker({
    storage: 'memory',
    templates: [{ ...template, provider_api: 'RunInstances' }],
    knobs: { auth: { denied: [{ action: 'RunInstances', subnet: 'subnet-1' }] } },
  });
  t.teardown(close);
  const { body } = await call('POST', '/machines/request', { template_id: 't', machine_count: 2 });
  const done = await until(async () => {
    const { body: status } = await call('GET', `/requests/${body.request_id}/status`);
    return /completed|failed/.test(status.status) ? status : undefined;
  });
  t.is(done.status, 'completed', done.message);
});
