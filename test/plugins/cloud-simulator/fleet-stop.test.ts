import { DeleteFleetsCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { deleteFleet, eventsOf, fleetOf, liveIds, modify, openFleet, terminate } from './fleet-support.ts';
import { codeOf, openCloud } from './support.ts';

test('a fleet that is deleted without its machines keeps them and replaces none', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 3 });
  simulator.advance(5000);
  t.deepEqual(simulator.ledger().fleets, [id]);
  const before = await liveIds(ec2, id);
  t.like((await deleteFleet(ec2, id, false)).SuccessfulFleetDeletions?.[0], {
    FleetId: id,
    PreviousFleetState: 'active',
    CurrentFleetState: 'deleted_running',
  });
  t.deepEqual(simulator.ledger().fleets, []);
  await terminate(ec2, [before[0]]);
  simulator.advance(60_000);
  t.deepEqual(await liveIds(ec2, id), before.slice(1));
  t.is((await fleetOf(ec2, id)).FleetState, 'deleted_running');
  await terminate(ec2, before.slice(1));
  simulator.advance(1000);
  t.is((await fleetOf(ec2, id)).FleetState, 'deleted');
});

test('a fleet that is deleted with its machines is gone when they are, and can be described for two days more', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 3 });
  simulator.advance(5000);
  t.is((await deleteFleet(ec2, id, true)).SuccessfulFleetDeletions?.[0]?.CurrentFleetState, 'deleted_terminating');
  t.deepEqual(await liveIds(ec2, id), []);
  t.is((await fleetOf(ec2, id)).FleetState, 'deleted_terminating');
  simulator.advance(1000);
  t.is((await fleetOf(ec2, id)).FleetState, 'deleted');
  t.is((await deleteFleet(ec2, id, true)).UnsuccessfulFleetDeletions?.[0]?.Error?.Code, 'fleetNotInDeletableState');
  simulator.advance(172_800_000 - 1);
  t.is((await fleetOf(ec2, id)).FleetState, 'deleted');
  simulator.advance(1);
  t.is(await codeOf(fleetOf(ec2, id)), 'InvalidFleetId.NotFound');
});

test('machines on their way still come when their fleet is deleted, and stay if it was deleted without them', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { fleets: { launch_ms: 5000 } } });
  const id = await openFleet(ec2, { units: 2 });
  simulator.advance(1000);
  await deleteFleet(ec2, id, false);
  simulator.advance(1000);
  t.is((await fleetOf(ec2, id)).FleetState, 'deleted_running');
  simulator.advance(60_000);
  t.is((await liveIds(ec2, id)).length, 2);
});

for (const [late, left] of [['end', 0] as const, ['stay', 2] as const]) {
  test(`machines that come after their fleet was deleted with its machines ${late === 'end' ? 'end a while later' : 'stay, by a knob'}`, async (t) => {
    const { ec2, simulator } = await openCloud(t, { knobs: { fleets: { launch_ms: 5000, late_machines: late } } });
    const id = await openFleet(ec2, { units: 2 });
    simulator.advance(1000);
    await deleteFleet(ec2, id, true);
    simulator.advance(4500);
    t.is((await liveIds(ec2, id)).length, 2);
    simulator.advance(5000);
    t.is((await liveIds(ec2, id)).length, left);
    t.is((await fleetOf(ec2, id)).FleetState, 'deleted');
  });
}

test('a fleet that is deleted before it was active never starts a machine', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 2, token: 'one' });
  await deleteFleet(ec2, id, true);
  simulator.advance(60_000);
  t.is((await fleetOf(ec2, id)).FleetState, 'deleted');
  t.deepEqual(simulator.ledger().launches, {});
});

test('a fleet that is deleted while it is modified stays deleted', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const id = await openFleet(ec2, { units: 1 });
  simulator.advance(5000);
  await modify(ec2, id, 4);
  await deleteFleet(ec2, id, false);
  simulator.advance(60_000);
  t.is((await liveIds(ec2, id)).length, 1);
  t.is((await fleetOf(ec2, id)).FleetState, 'deleted_running');
});

test('deleting tells for each fleet what became of it', async (t) => {
  const { ec2 } = await openCloud(t);
  const id = await openFleet(ec2);
  const missing = 'fleet-00000000-0000-0000-0000-000000000000';
  const answer = await ec2.send(
    new DeleteFleetsCommand({ FleetIds: ['nonsense', missing, id], TerminateInstances: true }),
  );
  t.deepEqual(
    answer.UnsuccessfulFleetDeletions?.map((one) => [one.FleetId, one.Error?.Code as string]),
    [
      ['nonsense', 'fleetIdMalformed'],
      [missing, 'fleetIdDoesNotExist'],
    ],
  );
  t.deepEqual(
    answer.SuccessfulFleetDeletions?.map((one) => one.FleetId),
    [id],
  );
});

test('too many fleets in one call: none is deleted', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const standing = await openFleet(ec2);
  const nobody = Array.from({ length: 100 }, (_, n) => `fleet-00000000-0000-0000-0000-${String(n).padStart(12, '0')}`);
  t.is(
    await codeOf(ec2.send(new DeleteFleetsCommand({ FleetIds: [standing, ...nobody], TerminateInstances: true }))),
    'InvalidParameterValue',
  );
  const instant: string[] = [];
  for (let n = 0; n < 26; n++) instant.push(await openFleet(ec2, { units: 1, more: { Type: 'instant' } }));
  const answer = await ec2.send(
    new DeleteFleetsCommand({ FleetIds: [standing, ...instant], TerminateInstances: true }),
  );
  t.is(answer.SuccessfulFleetDeletions?.length, 0);
  t.true(
    answer.UnsuccessfulFleetDeletions?.every(
      (one) => String(one.Error?.Code) === 'ExceededInstantFleetNumForDeletion',
    ),
  );
  t.is(simulator.ledger().fleets.length, 27);
});

test('an expired fleet replaces nothing, and loses its machines only if that was asked for', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { fleets: { history_ms: 0 } } });
  const ValidUntil = new Date(simulator.clock.now() + 60_000);
  const keeps = await openFleet(ec2, { units: 2, more: { ValidUntil } });
  const ends = await openFleet(ec2, { units: 2, more: { ValidUntil, TerminateInstancesWithExpiration: true } });
  simulator.advance(59_999);
  t.is((await liveIds(ec2, keeps)).length + (await liveIds(ec2, ends)).length, 4);
  simulator.advance(1);
  t.deepEqual(await liveIds(ec2, ends), []);
  await terminate(ec2, [(await liveIds(ec2, keeps))[0]]);
  simulator.advance(60_000);
  t.is((await liveIds(ec2, keeps)).length, 1);
  t.deepEqual((await eventsOf(ec2, ends)).slice(-3), ['expired', 'terminated', 'terminated']);
});

test('a fleet that is valid later starts its machines then', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  const ValidFrom = new Date(simulator.clock.now() + 60_000);
  const id = await openFleet(ec2, { units: 2, more: { ValidFrom } });
  simulator.advance(60_000);
  t.deepEqual(await liveIds(ec2, id), []);
  simulator.advance(1000);
  t.is((await liveIds(ec2, id)).length, 2);
});
