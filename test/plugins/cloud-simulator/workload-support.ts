import { AutoScalingClient, DeleteAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import {
  CancelSpotFleetRequestsCommand,
  CreateLaunchTemplateCommand,
  DeleteFleetsCommand,
  DeleteLaunchTemplateCommand,
  EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { ExecutionContext } from 'ava';
import { standingClock } from '../../../plugins/cloud-simulator/clock.ts';
import { scenarios } from '../../../plugins/cloud-simulator/knobs/scenarios.ts';
import { seededRandom } from '../../../plugins/cloud-simulator/random.ts';
import { createSimulator, type Simulator } from '../../../plugins/cloud-simulator/server/server.ts';
import type { RegionState } from '../../../plugins/cloud-simulator/state/call-context.ts';
import { ec2Deeds } from './workload-ec2.ts';
import { groupDeeds } from './workload-groups.ts';

/** A cloud in some weather, and what it should not have done. */
export interface Workload {
  readonly simulator: Simulator;
  readonly ec2: EC2Client;
  readonly autoScaling: AutoScalingClient;
  /** Calls that failed without a fault that says so, or that the audit does not have once. */
  readonly failures: string[];
}

/** What one call of a workload may choose by. */
export interface Choice {
  readonly ec2: EC2Client;
  readonly autoScaling: AutoScalingClient;
  readonly state: RegionState;
  readonly now: number;
  /** The number of the call. */
  readonly n: number;
  /** 0 ≤ number < `count`. */
  int(count: number): number;
  pick<T>(list: readonly T[]): T;
  some(share: number): boolean;
  /** A token of its own, or now and then that of a call before. */
  token(): string;
}

export type NewActivity = (choice: Choice) => Promise<unknown>;

/**
 * The cloud with a launch template `base`, then in the weather of the scenario, of which only the waits in real time
 * are left out.
 */
export async function openWorkload(t: ExecutionContext, scenario: string): Promise<Workload> {
  const simulator = createSimulator({ clock: standingClock() });
  const endpoint = await simulator.listen();
  const client = {
    endpoint,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' },
  };
  const [ec2, autoScaling] = [new EC2Client(client), new AutoScalingClient(client)];
  t.teardown(async () => {
    for (const one of [ec2, autoScaling]) one.destroy();
    await simulator.close();
  });
  const LaunchTemplateData = { ImageId: 'ami-1', InstanceType: 't3.micro' } as const;
  await ec2.send(
    new CreateLaunchTemplateCommand({ LaunchTemplateName: 'base', ClientToken: 'base', LaunchTemplateData }),
  );
  const faults = scenarios[scenario]?.knobs.faults ?? [];
  simulator.setKnobs({
    scenario,
    latency_ms: { '*': 0 },
    faults: faults.map((rule) => (rule.delay_ms === undefined ? rule : { ...rule, delay_ms: 1 })),
  });
  return { simulator, ec2, autoScaling, failures: [] };
}

/** Five minutes of the simulator's clock, with so many calls in each of the rounds. */
export async function work(
  workload: Workload,
  { seed, rounds, calls }: { seed: number; rounds: number; calls: number },
): Promise<void> {
  const { simulator } = workload;
  const random = seededRandom(seed);
  const int = (count: number) => Math.floor(random.next() * count);
  const deeds = [...ec2Deeds, ...groupDeeds];
  for (let n = 0; n < rounds * calls; n++) {
    const [state] = simulator.state.regions();
    const choice: Choice = {
      ...workload,
      state: state as RegionState,
      now: simulator.clock.now(),
      n,
      int,
      pick: (list) => list[int(list.length)] as never,
      some: (share) => random.next() < share,
      token: () => `token-${random.next() < 0.15 ? Math.max(0, n - 1 - int(5)) : n}`,
    };
    const deed = deeds[int(deeds.length)] as NewActivity;
    await watch(workload, () => deed(choice));
    if (n % calls === calls - 1) simulator.advance(300_000 / rounds);
  }
}

/** Deletes and ends all that the ledger shows. */
export async function emptyCloud(workload: Workload): Promise<void> {
  const { simulator, ec2, autoScaling } = workload;
  const { fleets, spot_fleets, groups } = simulator.ledger();
  for (const id of fleets)
    await watch(workload, () => ec2.send(new DeleteFleetsCommand({ FleetIds: [id], TerminateInstances: true })));
  const cancel = (id: string) =>
    new CancelSpotFleetRequestsCommand({ SpotFleetRequestIds: [id], TerminateInstances: true });
  for (const id of spot_fleets) await watch(workload, () => ec2.send(cancel(id)));
  for (const AutoScalingGroupName of groups)
    await watch(workload, () =>
      autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName, ForceDelete: true })),
    );
  // What was on its way arrives.
  simulator.advance(120_000);
  const { live, untagged, templates } = simulator.ledger();
  const InstanceIds = [...untagged, ...Object.values(live).flat()];
  if (InstanceIds.length > 0) await watch(workload, () => ec2.send(new TerminateInstancesCommand({ InstanceIds })));
  for (const LaunchTemplateId of templates)
    await watch(workload, () => ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId })));
  simulator.advance(600_000);
}

async function watch({ simulator, failures }: Workload, call: () => Promise<unknown>): Promise<void> {
  const last = simulator.audit().at(-1)?.n ?? 0;
  const error = await call().then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  const [entry, ...others] = simulator.audit(last);
  if (entry === undefined || others.length > 0) failures.push(`${others.length} entries: ${error?.message}`);
  else if (error !== undefined && entry.fault === null && (entry.code === null || entry.code === 'InternalError'))
    failures.push(`${entry.action}: ${entry.code} ${error.message}`);
}
