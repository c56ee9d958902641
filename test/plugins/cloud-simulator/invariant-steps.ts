import {
  CancelSpotFleetRequestsCommand,
  type DefaultTargetCapacityType,
  type EC2Client,
  ModifySpotFleetRequestCommand,
  RequestSpotFleetCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import fc from 'fast-check';
import type { Simulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { deleteFleet, modify, openFleet } from './fleet-support.ts';
import { launch } from './support.ts';

const types = ['t3.micro', 'm5.large'] as const;
const zones = ['us-east-1a', 'us-east-1b'] as const;

const wait = fc.record({
  do: fc.constant('advance' as const),
  ms: fc.constantFrom(0, 1, 400, 1000, 3000, 20_000, 3_700_000),
});
/** Something that happens to a cloud: a call, a knob that is turned, or time that goes by. */
export const step = fc.oneof(
  fc.record({
    do: fc.constant('run' as const),
    type: fc.nat(1),
    zone: fc.nat(2),
    count: fc.integer({ min: 1, max: 5 }),
    spot: fc.boolean(),
  }),
  fc.record({ do: fc.constant('replay' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('terminate' as const), which: fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }) }),
  fc.record({
    do: fc.constant('fleet' as const),
    type: fc.constantFrom('instant' as const, 'request' as const, 'maintain' as const),
    units: fc.integer({ min: 1, max: 6 }),
    onDemand: fc.nat(6),
    weight: fc.integer({ min: 1, max: 3 }),
    until: fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined }),
  }),
  fc.record({ do: fc.constant('spot-fleet' as const), units: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constant('modify' as const), which: fc.nat(9), total: fc.nat(7), ends: fc.boolean() }),
  fc.record({ do: fc.constant('delete' as const), which: fc.nat(9), ends: fc.boolean() }),
  fc.record({
    do: fc.constant('knobs' as const),
    change: fc.constantFrom(
      { capacity: [] },
      { capacity: [{ instance_type: 't3.micro', count: 3 }] },
      { late_failures: [{ times: 3 }] },
      { late_failures: [{ times: null, after_ms: 4000 }] },
      { late_failures: [] },
      { reclaim: [{ share: 0.5, notice_s: 0 }] },
      { reclaim: [{ share: 0.5, notice_s: 3 }] },
      { reclaim: [{ after_ms: 700, notice_s: 1 }] },
      { outages: [{ zone: '*a' }] },
      { outages: [] },
      { partial: [{ action: '*', deliver: 2, times: 3 }] },
      { stuck: [{ times: 2 }] },
      { prices: [{ instance_type: 'm5.large', market: 'spot' as const, price: 9 }] },
      { prices: [] },
      { fleets: { late_machines: 'stay' as const } },
      { quotas: { on_demand_vcpus: 24, spot_machines: 9 } },
      { quotas: { on_demand_vcpus: null, spot_machines: null } },
    ),
  }),
  wait,
  wait,
  wait,
);

export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A launch with its token, which may be replayed. */
export interface Run {
  readonly token: string;
  readonly step: Extract<Step, { do: 'run' }>;
}

/** What the steps so far have brought. */
export interface Play {
  readonly runs: Run[];
  readonly fleets: string[];
  readonly template: string;
}

/** Takes a step; rejects if its call is refused. */
export async function take(ec2: EC2Client, simulator: Simulator, play: Play, one: Step, token: string): Promise<void> {
  const fleet =
    'which' in one && typeof one.which === 'number'
      ? play.fleets[one.which % Math.max(1, play.fleets.length)]
      : undefined;
  switch (one.do) {
    case 'run':
      play.runs.push({ token, step: one });
      return run(ec2, play.runs.at(-1) as Run);
    case 'replay': {
      const earlier = play.runs[one.which % Math.max(1, play.runs.length)];
      return earlier === undefined ? undefined : run(ec2, earlier);
    }
    case 'terminate': {
      const ids = liveIn(simulator);
      const InstanceIds = one.which.flatMap((which) => ids[which % Math.max(1, ids.length)] ?? []);
      return void (await ec2.send(new TerminateInstancesCommand({ InstanceIds })));
    }
    case 'fleet': {
      const until =
        one.until === undefined || one.type === 'instant'
          ? {}
          : { ValidUntil: new Date(simulator.clock.now() + one.until), TerminateInstancesWithExpiration: true };
      const id = await openFleet(ec2, {
        template: play.template,
        token,
        target: {
          TotalTargetCapacity: one.units,
          OnDemandTargetCapacity: Math.min(one.units, one.onDemand),
          DefaultTargetCapacityType: 'spot' satisfies DefaultTargetCapacityType,
        },
        overrides: types.map((InstanceType, index) => ({
          InstanceType,
          WeightedCapacity: index === 0 ? 1 : one.weight,
        })),
        more: { Type: one.type, ...until },
      });
      return void play.fleets.push(id);
    }
    case 'spot-fleet': {
      const { SpotFleetRequestId } = await ec2.send(
        new RequestSpotFleetCommand({
          SpotFleetRequestConfig: {
            IamFleetRole: 'arn:aws:iam::123456789012:role/fleet',
            TargetCapacity: one.units,
            LaunchTemplateConfigs: [
              { LaunchTemplateSpecification: { LaunchTemplateId: play.template, Version: '1' } },
            ],
          },
        }),
      );
      return void play.fleets.push(SpotFleetRequestId ?? '');
    }
    case 'modify':
      if (fleet?.startsWith('sfr-')) {
        const ExcessCapacityTerminationPolicy = one.ends ? 'default' : 'noTermination';
        const change = {
          SpotFleetRequestId: fleet,
          TargetCapacity: one.total,
          ExcessCapacityTerminationPolicy,
        } as const;
        await ec2.send(new ModifySpotFleetRequestCommand(change));
      } else if (fleet !== undefined) {
        await modify(ec2, fleet, one.total, {
          ExcessCapacityTerminationPolicy: one.ends ? 'termination' : 'no-termination',
        });
      }
      return;
    case 'delete':
      if (fleet?.startsWith('sfr-'))
        await ec2.send(
          new CancelSpotFleetRequestsCommand({ SpotFleetRequestIds: [fleet], TerminateInstances: one.ends }),
        );
      else if (fleet !== undefined) await deleteFleet(ec2, fleet, one.ends);
      return;
    case 'knobs':
      return void simulator.setKnobs(one.change);
    default:
      return simulator.advance(one.ms);
  }
}

async function run(ec2: EC2Client, { token, step: one }: Run): Promise<void> {
  const zone = zones[one.zone];
  await ec2.send(
    launch({
      InstanceType: types[one.type] ?? 't3.micro',
      MaxCount: one.count,
      ClientToken: token,
      ...(zone === undefined ? {} : { Placement: { AvailabilityZone: zone } }),
      ...(one.spot ? { InstanceMarketOptions: { MarketType: 'spot' } } : {}),
    }),
  );
}

/** Pending and running machines by the ledger. */
export function liveIn(simulator: Simulator): string[] {
  const { live, untagged } = simulator.ledger();
  return [...Object.values(live).flat(), ...untagged];
}
