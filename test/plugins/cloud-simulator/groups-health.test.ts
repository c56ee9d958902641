import test from 'ava';
import { openGroups, openWeb, tally } from './groups-support.ts';

test('a machine whose checks fail is replaced, also when it is protected, and its end is told', async (t) => {
  const { activities, before, ids, live, settle, simulator } = await openWeb(t, 2, {
    NewInstancesProtectedFromScaleIn: true,
  });
  const [ill] = before as [string];
  simulator.setKnobs({ health: [{ instance_ids: [ill] }] });
  settle();
  t.is((await ids('web')).length, 2);
  t.false((await live()).has(ill));
  t.is((await live()).size, 2);
  t.true((await activities('web')).some((one) => /status checks have failed/.test(one.Cause ?? '')));
});

test('a machine whose checks are initializing stays', async (t) => {
  const { before, ids, settle, simulator } = await openWeb(t, 2);
  simulator.setKnobs({ health: [{ status: 'initializing' }] });
  settle();
  t.deepEqual(await ids('web'), before);
});

test('new machines have the time that their group grants them', async (t) => {
  const { before, ids, simulator } = await openWeb(t, 1, { HealthCheckGracePeriod: 300 });
  simulator.setKnobs({ health: [{}] });
  simulator.advance(180_000);
  t.deepEqual(await ids('web'), before);
  simulator.advance(120_000);
  t.false((await ids('web')).includes(before[0] as string));
});

for (const process of ['HealthCheck', 'ReplaceUnhealthy']) {
  test(`with ${process} suspended a machine whose checks fail stays until it is resumed`, async (t) => {
    const { before, live, members, resume, settle, simulator, suspend } = await openWeb(t, 1);
    const [ill] = before as [string];
    await suspend(process);
    simulator.setKnobs({ health: [{ instance_ids: [ill] }] });
    settle();
    t.true((await live()).has(ill));
    t.is((await members('web'))[0]?.HealthStatus, process === 'HealthCheck' ? 'Healthy' : 'Unhealthy');
    // What has been found unhealthy is so for good.
    if (process === 'ReplaceUnhealthy') simulator.setKnobs({ health: [] });
    await resume(process);
    settle();
    t.false((await live()).has(ill));
    t.is((await live()).size, 1);
  });
}

test('a group leaves a zone that is out, and comes back when that is over', async (t) => {
  const { create, members, settle, simulator } = await openGroups(t);
  await create('web', { DesiredCapacity: 6 });
  settle();
  const spread = async () => tally((await members('web')).map((one) => one.AvailabilityZone));
  simulator.setKnobs({ outages: [{ zone: 'us-east-1a' }] });
  settle();
  t.deepEqual(await spread(), { 'us-east-1b': 3, 'us-east-1c': 3 });
  simulator.setKnobs({ outages: [] });
  simulator.advance(300_000);
  t.deepEqual(await spread(), { 'us-east-1a': 2, 'us-east-1b': 2, 'us-east-1c': 2 });
});

test('checking health for an hour costs little', async (t) => {
  const { create, settle, simulator } = await openGroups(t);
  for (let index = 0; index < 50; index++) await create(`web-${index}`, { DesiredCapacity: 20 });
  settle();
  simulator.setKnobs({ health: [{ instance_ids: ['i-none'] }] });
  const before = performance.now();
  simulator.advance(3_600_000);
  simulator.ledger();
  t.true(performance.now() - before < 5000);
});
