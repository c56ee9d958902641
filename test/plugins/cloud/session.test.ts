import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ProviderFault } from '../../../core/index.ts';
import { createSimulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { cloud } from '../../../plugins/cloud/index.ts';
import { contextOf, quietCall, stage } from './support.ts';

test('the identity of an instance is its account, its region and its configured endpoint', async (t) => {
  const there = await stage({ region: 'us-west-2' });
  t.teardown(there.close);
  const identity = (await cloud.identity?.(there.session, there.call)) ?? '';
  t.regex(identity, /^\d{12}\|us-west-2\|http:/);
  await cloud.identity?.(there.session, there.call);
  t.is(there.calls('GetCallerIdentity'), 1);
  await cloud.check?.(there.session, there.call);
  const places = await cloud.places?.(there.session, there.call);
  t.deepEqual(places?.regions, ['us-west-2']);
  t.true(places?.availability_zones.includes('us-west-2a'));
});

test('an endpoint with a scheme is resolved at the first use, and again once nothing listens there', async (t) => {
  const simulators = [createSimulator(), createSimulator()];
  const urls = await Promise.all(simulators.map((each) => each.listen()));
  let asked = 0;
  const endpoint = async () => urls[asked++] as string;
  const session = await cloud.connect({ endpoint_url: 'simulator:' }, contextOf({ endpoint }));
  t.teardown(async () => {
    await cloud.close?.(session);
    await simulators[1]?.close();
  });
  t.is(asked, 0);
  const identity = await cloud.identity?.(session, quietCall());
  t.true(identity?.endsWith('|us-east-1|simulator:'));
  t.is(asked, 1);
  await simulators[0]?.close();
  const fault = await t.throwsAsync<ProviderFault>(
    session.write((ec2) => new ec2.TerminateInstancesCommand({ InstanceIds: ['i-1'] }), quietCall()),
  );
  t.is(fault?.kind, 'unavailable');
  await cloud.check?.(session, quietCall());
  t.is(asked, 2);
});

test('calls that read are repeated as configured; calls that change the cloud never are', async (t) => {
  const there = await stage({ cloud_max_retries: 2 });
  t.teardown(there.close);
  there.simulator.setKnobs({
    faults: ['DescribeAvailabilityZones', 'TerminateInstances'].map((action) => ({
      action,
      times: 2,
      effect: 'skip',
      then: 'error',
      code: 'InternalError',
    })),
  });
  await cloud.check?.(there.session, there.call);
  t.is(there.calls('DescribeAvailabilityZones'), 3);
  const change = there.session.write((ec2) => new ec2.TerminateInstancesCommand({ InstanceIds: ['i-1'] }), there.call);
  t.is((await t.throwsAsync<ProviderFault>(change))?.kind, 'unknown-outcome');
  t.is(there.calls('TerminateInstances'), 1);
});

test('refused credentials are a fault of kind credentials without a secret in its message', async (t) => {
  const there = await stage();
  t.teardown(there.close);
  const message = 'AuthFailure';
  there.simulator.setKnobs({
    faults: [{ action: 'DescribeAvailabilityZones', effect: 'skip', then: 'error', code: message }],
  });
  const fault = await t.throwsAsync<ProviderFault>(cloud.check?.(there.session, there.call) as Promise<void>);
  t.is(fault?.kind, 'credentials');
  t.notRegex(
    `${fault?.message} ${fault?.stack} ${JSON.stringify(fault?.cause)}`,
    /a-secret-that-nobody-sees|AKIATEST/,
  );
});

test('an access key without its secret is a fault of kind credentials', async (t) => {
  const session = await cloud.connect({ access_key_id: 'AKIATEST000000000000' }, contextOf());
  const fault = await t.throwsAsync<ProviderFault>(cloud.check?.(session, quietCall()) as Promise<void>);
  t.is(fault?.kind, 'credentials');
});

test('a call that is not answered in time is a fault of kind unavailable', async (t) => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const endpoint_url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const keys = { access_key_id: 'AKIATEST000000000000', secret_access_key: 'x' };
  const session = await cloud.connect(
    { endpoint_url, ...keys, cloud_read_timeout: 1, cloud_max_retries: 0 },
    contextOf(),
  );
  t.teardown(async () => {
    await cloud.close?.(session);
    silent.close();
  });
  const before = performance.now();
  const fault = await t.throwsAsync<ProviderFault>(cloud.check?.(session, quietCall()) as Promise<void>);
  t.is(fault?.kind, 'unavailable');
  t.true(performance.now() - before < 20_000, 'the time-out of the SDK is 30 s');
  const change = session.write((ec2) => new ec2.TerminateInstancesCommand({ InstanceIds: ['i-1'] }), quietCall());
  t.is((await t.throwsAsync<ProviderFault>(change))?.kind, 'unknown-outcome');
});

test('keys are read from a credentials file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-'));
  const credential_file = join(folder, 'credentials');
  await writeFile(credential_file, '[other]\naws_access_key_id = AKIAFROMFILE00000000\naws_secret_access_key = x\n');
  const there = await stage({ access_key_id: null, secret_access_key: null, credential_file, profile: 'other' });
  t.teardown(async () => {
    await there.close();
    await rm(folder, { recursive: true });
  });
  await cloud.check?.(there.session, there.call);
  t.is(there.calls('DescribeAvailabilityZones'), 1);
});
