import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { cloud } from '../../../plugins/cloud/index.ts';
import { rateLimiter } from '../../../plugins/cloud/connection/rates/rate-limiter.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { contextOf, stage, type Stage } from './support.ts';

const none = { access_key_id: null, secret_access_key: null };
const never = new AbortController().signal;
const later = new Date(Math.ceil(Date.now() / 1000) * 1000 + 40 * 60_000).toISOString();

const ask = ({ session, call }: Stage) =>
  session.read((ec2) => new ec2.DescribeAvailabilityZonesCommand({}), call).then(() => credentialsOf({ session }));
const credentialsOf = ({ session }: Pick<Stage, 'session'>) => cloud.state?.(session).credentials;

async function staged(t: ExecutionContext, config: object): Promise<Stage> {
  const stand = await stage(config);
  t.teardown(() => stand.close());
  return stand;
}

async function script(t: ExecutionContext, more: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'muster-script-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const file = join(directory, 'keys');
  await writeFile(file, `#!/bin/sh\necho '{"AccessKeyId": "AKIASCRIPT", "SecretAccessKey": "s"${more}}'\n`);
  await chmod(file, 0o755);
  return file;
}

test('static keys have no known end', async (t) => {
  const stand = await staged(t, {});
  t.deepEqual(await ask(stand), { source: 'static keys', expires_at: null, renewed: false });
});

test('the end of the credentials of a script is told after the first call, as the script names it', async (t) => {
  const stand = await staged(t, { ...none, credential_script: await script(t, `, "Expiration": "${later}"`) });
  const before = { source: 'script', expires_at: null, renewed: false };
  t.deepEqual(credentialsOf(stand), before);
  t.deepEqual(await ask(stand), { ...before, expires_at: later });
});

test('keys without an end that the SDK reads again each minute have none here either', async (t) => {
  const stand = await staged(t, { ...none, credential_script: await script(t, '') });
  t.deepEqual(await ask(stand), { source: 'script', expires_at: null, renewed: false });
});

test('a source that gave later credentials is one that renews them', async (t) => {
  const printed = `, "Expiration": "'$(date -u -d "+40 min" +%Y-%m-%dT%H:%M:%S.%NZ)'"`;
  const stand = await staged(t, { ...none, credential_script: await script(t, printed) });
  t.false((await ask(stand))?.renewed);
  // The client for changes asks the script for itself.
  await stand.session.write((ec2) => new ec2.CreateTagsCommand({ Resources: [], Tags: [] }), stand.call).catch(isNone);
  t.true(credentialsOf(stand)?.renewed);
});

test('of a role the end of its own credentials is told, whatever keys assume it', async (t) => {
  const stand = await staged(t, { role_arn: 'arn:aws:iam::210987654321:role/broker' });
  const before = Date.now();
  const { source, expires_at, renewed } = (await ask(stand)) ?? {};
  t.deepEqual({ source, renewed }, { source: 'role', renewed: true });
  const in_ms = Date.parse(expires_at ?? '') - before;
  t.true(in_ms > 50 * 60_000 && in_ms < 70 * 60_000, String(expires_at));
});

test.serial('of the default chain it is told where the SDK found credentials, and when they end', async (t) => {
  const variables = { AWS_ACCESS_KEY_ID: 'AKIACHAIN', AWS_SECRET_ACCESS_KEY: 's', AWS_CREDENTIAL_EXPIRATION: later };
  Object.assign(process.env, variables);
  t.teardown(() => Object.keys(variables).forEach((name) => delete process.env[name]));
  const stand = await staged(t, none);
  t.deepEqual(credentialsOf(stand), { source: 'default chain', expires_at: null, renewed: false });
  t.deepEqual(await ask(stand), { source: 'default chain: environment', expires_at: later, renewed: false });
});

test('the simulated cloud needs no credentials of its own', async (t) => {
  const { simulator, close } = await stage();
  t.teardown(close);
  const endpoint = async () => simulator.url;
  const session = await cloud.connect({ endpoint_url: 'simulator:' }, { ...contextOf(), endpoint });
  t.teardown(() => session.close());
  t.is(cloud.state?.(session).credentials?.source, 'simulated');
});

test('only rates that were used are told, and only where calls are limited', async (t) => {
  const limited = await staged(t, { rate_limits: { enabled: true } });
  t.deepEqual(cloud.state?.(limited.session).rates, []);
  await ask(limited);
  const rates = cloud.state?.(limited.session).rates ?? [];
  const [zones] = rates.filter(({ action }) => action === 'DescribeAvailabilityZones');
  t.like(zones, { counts: 'calls', share: 1 });
  t.true((zones?.free ?? 0) <= (zones?.capacity ?? 0) && (zones?.free ?? 0) >= (zones?.capacity ?? 0) - 1);
  const unlimited = await staged(t, {});
  await ask(unlimited);
  t.deepEqual(cloud.state?.(unlimited.session).rates, []);
});

test('a rate tells what is free, what is reserved, and how far throttling slowed it', async (t) => {
  const clock = new FakeClock();
  const sizes = {
    RunInstances: { requests: { capacity: 4, per_second: 2 }, machines: { capacity: 10, per_second: 1 } },
  };
  const mine = rateLimiter(clock, sizes, () => 1 / 2);
  const rates = () => mine.state().map(({ counts, free, share }) => [counts, free, share]);
  const waiting = [1, 2, 3].map(() => mine.acquire({ action: 'RunInstances' }, 1, never));
  t.deepEqual(mine.state(), [
    { action: 'RunInstances', counts: 'calls', per_second: 1, capacity: 2, free: -1, share: 1 },
    { action: 'RunInstances', counts: 'machines', per_second: 0.5, capacity: 5, free: 2, share: 1 },
  ]);
  await clock.advance(1_000);
  await Promise.all(waiting);
  t.deepEqual(rates(), [
    ['calls', 0, 1],
    ['machines', 2.5, 1],
  ]);
  mine.throttled({ action: 'RunInstances' });
  await clock.advance(1_000);
  t.deepEqual(rates(), [
    ['calls', 0.5, 0.5],
    ['machines', 0.25, 0.5],
  ]);
  await clock.advance(30_000);
  t.deepEqual(rates(), [
    ['calls', 2, 1],
    ['machines', 5, 1],
  ]);
});

test('of a service with one rate, reads that have a part of it are told by themselves', async (t) => {
  const mine = rateLimiter(new FakeClock());
  await mine.acquire({ action: 'DescribeAutoScalingGroups', lane: 'AutoScaling' }, 0, never);
  const named = mine.state().map(({ action, counts }) => `${action} ${counts}`);
  t.deepEqual(named, ['AutoScaling calls', 'DescribeAutoScalingGroups calls']);
});

const isNone = () => undefined;
