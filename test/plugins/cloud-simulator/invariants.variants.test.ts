import {
  CancelSpotFleetRequestsCommand,
  DeleteFleetsCommand,
  DescribeInstancesCommand,
  type EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { Simulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { isLive, stateOf } from '../../../plugins/cloud-simulator/state/instances/instance.ts';
import { liveIn, type Play, step, take } from './invariant-steps.ts';
import { fleetTemplate } from './fleet-support.ts';
import { openCloud } from './support.ts';
import { tries } from '../../support/variants.ts';

test('after any calls and knobs the ledger is consistent, and it is empty when everything has ended', async (t) => {
  const { ec2, simulator } = await openCloud(t);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      simulator.reset({ knobs: true });
      simulator.setKnobs({
        fleets: {
          launch_ms: { min: 0, max: 3000 },
          notice_ms: { min: 0, max: 5000 },
          modify_ms: { min: 0, max: 1500 },
        },
      });
      const play: Play = { runs: [], fleets: [], template: await fleetTemplate(ec2) };
      for (const [index, one] of steps.entries()) {
        // A call may be refused, by capacity, quota, outage or the state of its fleet, but never by a mistake of the
        // simulator.
        await take(ec2, simulator, play, one, `token-${index}`).catch((error: Error) =>
          t.not(error.name, 'InternalError', error.message),
        );
        await checkBooks(t, ec2, simulator);
      }
      for (const { token, step: run } of play.runs) t.true((simulator.ledger().launches[token] ?? 0) <= run.count);
      await endAll(t, ec2, simulator, play.fleets);
    }),
    { numRuns: tries(10, 100), seed: 11 },
  );
});

/** Machines, ledger, places, quotas and addresses tell the same. */
async function checkBooks(t: ExecutionContext, ec2: EC2Client, simulator: Simulator): Promise<void> {
  const live = liveIn(simulator).toSorted();
  if (simulator.knobs.outages.length === 0) {
    const Filters = [{ Name: 'instance-state-name', Values: ['pending', 'running'] }];
    const { Reservations } = await ec2.send(new DescribeInstancesCommand({ Filters }));
    t.deepEqual(
      Reservations?.flatMap((one) => one.Instances ?? [])
        .map((one) => one.InstanceId)
        .toSorted(),
      live,
    );
  }
  const now = simulator.clock.now();
  for (const state of simulator.state.regions()) {
    const there = [...state.instances].filter((instance) => stateOf(instance, now) !== 'terminated');
    const places = new Map<string, number>();
    const usage = { onDemandVcpus: 0, spotMachines: 0 };
    const addresses = new Map<object, Set<number>>();
    for (const instance of there) {
      const { type, market } = instance.reservation.spec;
      const key = `${type.instance_type}/${instance.zone}/${market}`;
      places.set(key, (places.get(key) ?? 0) + 1);
      addresses.set(instance.subnet, (addresses.get(instance.subnet) ?? new Set()).add(instance.address));
      if (!isLive(instance, now)) continue;
      if (market === 'spot') usage.spotMachines += 1;
      else usage.onDemandVcpus += type.vcpus;
    }
    t.deepEqual(state.usage, usage);
    t.deepEqual(
      new Map([...state.placesTaken].filter(([, count]) => count !== 0).toSorted()),
      new Map([...places].toSorted()),
    );
    let held = 0;
    for (const subnet of state.network.subnets()) {
      t.is(subnet.taken(), addresses.get(subnet)?.size ?? 0);
      held += subnet.taken();
    }
    t.is(held, there.length, 'no two machines have one address');
    for (const fleet of state.fleets.values()) {
      if (fleet.type === 'instant') continue;
      for (const instance of fleet.machines) t.not(stateOf(instance, now), 'terminated');
      for (const instance of fleet.members.keys()) t.is(instance.controller, fleet.controller);
      const own = there.filter((instance) => instance.controller === fleet.controller);
      if (simulator.knobs.fleets.late_machines === 'end')
        t.deepEqual(own.map((one) => one.id).toSorted(), [...fleet.machines].map((one) => one.id).toSorted());
      if (fleet.state === 'stopped' && !fleet.endsMachines) t.is(fleet.machines.size, 0);
      if (fleet.type === 'maintain') continue;
      // Rounded up to whole machines, of which the largest weighs 3, a fleet that replaces nothing never starts more
      // than it was asked for.
      t.true(fleet.delivered.spot < fleet.target.spot + 3 && fleet.delivered['on-demand'] < fleet.target.onDemand + 3);
    }
  }
}

async function endAll(
  t: ExecutionContext,
  ec2: EC2Client,
  simulator: Simulator,
  fleets: readonly string[],
): Promise<void> {
  simulator.setKnobs({ outages: [], capacity: [], late_failures: [], partial: [], stuck: [], reclaim: [] });
  const ids = fleets.filter((id) => !id.startsWith('sfr-'));
  const requests = fleets.filter((id) => id.startsWith('sfr-'));
  if (ids.length > 0) await ec2.send(new DeleteFleetsCommand({ FleetIds: ids, TerminateInstances: true }));
  if (requests.length > 0)
    await ec2.send(new CancelSpotFleetRequestsCommand({ SpotFleetRequestIds: requests, TerminateInstances: true }));
  // What was on its way comes, and may stay.
  simulator.advance(60_000);
  const InstanceIds = liveIn(simulator);
  if (simulator.knobs.fleets.late_machines === 'end') {
    for (const state of simulator.state.regions())
      for (const fleet of state.fleets.values())
        if (fleet.type !== 'instant' && fleet.endsMachines) t.is(fleet.machines.size, 0);
  }
  if (InstanceIds.length > 0) await ec2.send(new TerminateInstancesCommand({ InstanceIds }));
  simulator.advance(60_000);
  await checkBooks(t, ec2, simulator);
  const { live, untagged, fleets: open, spot_fleets } = simulator.ledger();
  t.deepEqual({ live, untagged, open, spot_fleets }, { live: {}, untagged: [], open: [], spot_fleets: [] });
  simulator.advance(200_000_000);
  simulator.ledger();
  for (const state of simulator.state.regions()) {
    t.is(state.instances.size, 0);
    t.is(state.fleets.size, 0);
  }
}
