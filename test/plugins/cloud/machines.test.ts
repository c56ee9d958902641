import test from 'ava';
import { isFault } from '../../../core/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { prepared, stage } from './support.ts';
import { reportOf } from '../../../plugins/cloud/observe/machines.ts';

const reported = (InstanceLifecycle?: 'spot' | 'capacity-block' | 'scheduled') =>
  reportOf({ InstanceId: 'i-1', State: { Name: 'running' }, ...(InstanceLifecycle ? { InstanceLifecycle } : {}) });

test('a machine is reported with the market that EC2 names', (t) => {
  t.is(reported().market, 'on-demand');
  t.is(reported('scheduled').market, 'on-demand');
  t.is(reported('spot').market, 'spot');
  t.is(reported('capacity-block').market, 'capacity-block');
});

for (const [name, api] of [
  ['RunInstances', runInstances],
  ['EC2Fleet', ec2Fleet],
] as const) {
  test(`${name}: a machine in a subnet without IPv4 is ready with its IPv6 address and its name`, async (t) => {
    const cloud = await stage({}, {}, { knobs: { ipv6_only: ['subnet-1'] } });
    t.teardown(cloud.close);
    const order = await prepared(api, cloud);
    const { handle, machines = [] } = await api.launch(cloud.session, order, cloud.call);
    cloud.simulator.advance(5_000);
    const known = machines.map(({ machine_id, status }) => ({ machine_id, status }));
    const [seen] = await api.observe(cloud.session, [{ handle: handle as any, order, known }], cloud.call);
    if (!seen || isFault(seen)) return t.fail();
    t.like(seen.machines[0], { status: 'running', ready: true, name: `${known[0]?.machine_id}.ec2.internal` });
    t.regex(seen.machines[0]?.private_ip ?? '', /^2001:db8:/);
  });
}

test('a machine without any address is not ready', (t) => {
  const running = { InstanceId: 'i-1', State: { Name: 'running' as const }, PrivateDnsName: 'i-1.ec2.internal' };
  t.false(reportOf(running).ready);
  t.like(reportOf({ ...running, Ipv6Address: '2001:db8::1' }), { ready: true, private_ip: '2001:db8::1' });
  t.like(reportOf({ ...running, PrivateIpAddress: '10.0.0.4', Ipv6Address: '2001:db8::1' }), {
    private_ip: '10.0.0.4',
  });
});
