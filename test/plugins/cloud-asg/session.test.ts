import test from 'ava';
import { spawnSync } from 'node:child_process';
import type { ProviderFault } from '../../../core/index.ts';
import { openGroups } from './support.ts';

test('reads of Auto Scaling are repeated as configured; changes never are', async (t) => {
  const cloud = await openGroups(t, {}, { cloud_max_retries: 2 });
  const order = await cloud.order({ machine_count: 1 });
  await cloud.launch(order);
  cloud.simulator.setKnobs({
    faults: ['DescribeAutoScalingGroups', 'UpdateAutoScalingGroup'].map((action) => ({
      action,
      times: 2,
      effect: 'skip',
      then: 'error',
      code: 'InternalFailure',
    })),
  });
  const before = cloud.calls('DescribeAutoScalingGroups');
  t.like(await cloud.group(order), { DesiredCapacity: 1 });
  t.is(cloud.calls('DescribeAutoScalingGroups') - before, 3);
  const change = cloud.session.groups.write(
    (sdk) => new sdk.UpdateAutoScalingGroupCommand({ AutoScalingGroupName: order.prepared.name, MaxSize: 2 }),
    cloud.call,
  );
  const fault = await t.throwsAsync<ProviderFault>(change);
  t.is(fault?.kind, 'unknown-outcome');
  t.is(cloud.calls('UpdateAutoScalingGroup'), 1);
});

test('faults of Auto Scaling have the codes of the wire', async (t) => {
  const cloud = await openGroups(t);
  const order = await cloud.order({ machine_count: 1 });
  await cloud.launch(order);
  const again = cloud.session.groups.write(
    (sdk) => new sdk.CreateAutoScalingGroupCommand(order.prepared.input),
    cloud.call,
  );
  t.like(await t.throwsAsync(again), { code: 'AlreadyExists', kind: 'unknown-outcome' });
  const nobody = cloud.session.groups.write(
    (sdk) => new sdk.SuspendProcessesCommand({ AutoScalingGroupName: 'nobody' }),
    cloud.call,
  );
  t.like(await t.throwsAsync(nobody), { code: 'ValidationError', kind: 'gone' });
});

test('the SDK of Auto Scaling is loaded by the first call to it, not before', (t) => {
  const script = `
    import { cloud } from './plugins/cloud/index.ts';
    import './plugins/cloud-asg/index.ts';
    import { createSimulator } from './plugins/cloud-simulator/server/server.ts';
    import { systemClock, silentLog } from './core/index.ts';
    const simulator = createSimulator();
    const endpoint_url = await simulator.listen();
    const context = { instance: 'east', endpoint: async (url) => url, clock: systemClock, log: silentLog, installation: 'inst' };
    const session = await cloud.connect({ endpoint_url, access_key_id: 'AKIATEST000000000000', secret_access_key: 'x' }, context);
    const call = { signal: new AbortController().signal, fence() {}, log: silentLog };
    const { registerHooks } = await import('node:module');
    let seen = 0;
    registerHooks({ resolve(specifier, about, next) { if (specifier === '@aws-sdk/client-auto-scaling') seen += 1; return next(specifier, about); } });
    await session.read((ec2) => new ec2.DescribeAvailabilityZonesCommand({}), call);
    const before = seen;
    await session.groups.read((sdk) => new sdk.DescribeAutoScalingGroupsCommand({}), call);
    console.log(JSON.stringify([before, seen > 0]));
    session.close();
    await simulator.close();
  `;
  const ran = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: process.cwd(),
    encoding: 'utf8',
  });
  t.is(ran.stdout.trim(), '[0,true]', ran.stderr);
});
