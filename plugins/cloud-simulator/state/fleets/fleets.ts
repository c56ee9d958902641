import type { StandingFleet } from './standing-fleet.ts';
import type { Market } from '../../launch/specification/launch-spec.ts';
import { stateOf } from '../instances/instance.ts';
import type { InstanceTable } from '../instances/instance-table.ts';
import type { Tags } from '../tags.ts';
import type { FleetError } from './fleet-pool.ts';
import type { FleetTarget } from './fleet-target.ts';

/** Machines that a fleet got from one pool. */
export interface FleetLaunch {
  /** `<launchTemplateAndOverrides>` of the pool. */
  readonly poolXml: string;
  readonly market: Market;
  readonly instanceType: string;
  readonly weight: number;
  readonly instanceIds: readonly string[];
}

/** A fleet that makes one attempt during its call and then launches nothing. */
export interface InstantFleet {
  readonly kind: 'ec2';
  readonly id: string;
  readonly type: 'instant';
  readonly createdAt: number;
  readonly token: string | undefined;
  readonly target: FleetTarget;
  /** The parts of its description that only echo the call. */
  readonly echoXml: string;
  readonly launches: readonly FleetLaunch[];
  readonly errors: readonly FleetError[];
  tags: Tags;
  deletedAt: number | undefined;
}

/** Any fleet of a region: EC2 fleets of the three types, and Spot fleets. */
export type Fleet = InstantFleet | StandingFleet;

export type InstantStateName = 'active' | 'deleted_terminating' | 'deleted';

/** How long a deleted fleet can still be described: about two days. */
export const fleetGoneAfterMs = 172_800_000;

/** The state of an instant fleet. Deleting it ends its machines, so there is no `deleted_running`. */
export function instantStateOf(fleet: InstantFleet, instances: InstanceTable, now: number): InstantStateName {
  if (fleet.deletedAt === undefined) return 'active';
  const ending = fleet.launches.some((launch) =>
    launch.instanceIds.some((id) => {
      const instance = instances.get(id);
      return instance !== undefined && stateOf(instance, now) !== 'terminated';
    }),
  );
  return ending ? 'deleted_terminating' : 'deleted';
}
