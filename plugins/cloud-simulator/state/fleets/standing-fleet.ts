import type { FleetPool, FleetError } from './fleet-pool.ts';
import type { MarketOptions } from '../../launch/fleets/fleet-request.ts';
import type { Market } from '../../launch/specification/launch-spec.ts';
import type { FleetTarget } from './fleet-target.ts';
import type { Instance, CapacityController } from '../instances/instance.ts';
import type { Tags } from '../tags.ts';
import type { Params } from '../../wire/form.ts';

/** EC2 fleets (`fleet-…`) and Spot fleets (`sfr-…`) behave alike; they differ in names and wire format. */
export type FleetKind = 'ec2' | 'spot';

/** A stopped fleet is called deleted, or cancelled if it is a Spot fleet. */
export type FleetState = 'submitted' | 'active' | 'modifying' | 'stopped_running' | 'stopped_terminating' | 'stopped';

/** The request that created a fleet. */
export interface FleetRequest {
  readonly kind: FleetKind;
  /** Spot fleets have the same types. */
  readonly type: 'request' | 'maintain';
  readonly token: string | undefined;
  readonly target: FleetTarget;
  readonly pools: readonly FleetPool[];
  /** How to fill each market, in the order in which they are filled; the units are those of the target. */
  readonly markets: readonly MarketOptions[];
  readonly excess: ExcessPolicy;
  readonly validFrom: number | undefined;
  readonly validUntil: number | undefined;
  /** Whether the machines end with `validUntil`. */
  readonly endsWithExpiry: boolean;
  readonly replaceUnhealthy: boolean;
  /** Maximum price of a unit if a pool has none. */
  readonly maxPrice: number | undefined;
  readonly tags: Tags;
  /** The parameters that describing calls echo. */
  readonly echo: Params;
}

/** What happens to machines above a lowered target. */
export type ExcessPolicy = 'termination' | 'no-termination';

/** A fleet that continues after its call: EC2 fleets of type request and maintain, and Spot fleets. */
export interface StandingFleet {
  readonly kind: FleetKind;
  readonly id: string;
  readonly type: 'request' | 'maintain';
  readonly token: string | undefined;
  readonly createdAt: number;
  readonly request: FleetRequest;
  readonly controller: CapacityController;
  tags: Tags;
  target: FleetTarget;
  pools: readonly FleetPool[];
  excess: ExcessPolicy;
  echo: Params;
  state: FleetState;
  /** Machines that the fleet counts. A machine that has ended counts until the fleet notices. */
  readonly members: Map<Instance, FleetMember>;
  /** Former members, for lists that are shown with a delay. */
  readonly departed: FleetMember[];
  /** Machines of the fleet that are not terminated yet, whether it still counts them or not. */
  readonly machines: Set<Instance>;
  /** Orders whose machines have not started yet. */
  readonly orders: Set<Order>;
  /** Units delivered so far: a fleet of type request does not replace them. */
  readonly delivered: Record<Market, number>;
  readonly pauses: Record<Market, Pause>;
  /** Times of planned rounds. */
  readonly plannedRounds: Set<number>;
  /** Whether a check of the machines' health is planned. */
  checking: boolean;
  /** Whether the fleet no longer starts machines. */
  closed: boolean;
  /**
   * Whether machines that still arrive must end, because the fleet was stopped or expired together with its machines.
   */
  endsMachines: boolean;
  /** Errors of the last attempt in each market. */
  readonly errors: Record<Market, readonly FleetError[]>;
  readonly history: FleetRecord[];
}

/** Kinds of records; their names on the wire differ between EC2 fleets and Spot fleets. */
export type RecordKind = 'fleet' | 'instance' | 'error' | 'information';

/** A history record of a fleet. */
export interface FleetRecord {
  readonly at: number;
  readonly kind: RecordKind;
  readonly event: string;
  readonly description: string | undefined;
  readonly instanceId: string | undefined;
}

/** A machine as a member of its fleet. */
export interface FleetMember {
  readonly instance: Instance;
  readonly market: Market;
  readonly weight: number;
  /** Price of a unit per hour at the launch. */
  readonly unitPrice: number;
  readonly joinedAt: number;
  leftAt: number | undefined;
}

/** An order of machines that have not started yet. */
export interface Order {
  /** With the units to launch in each market. */
  readonly markets: readonly MarketOptions[];
  /** As of the order: it proceeds even if a template is deleted in the meantime. */
  readonly pools: readonly FleetPool[];
  readonly gone: readonly FleetError[];
}

/** The time of the next possible order in a market. */
export interface Pause {
  readonly until: number;
  /** Consecutive attempts that fell short. */
  readonly failures: number;
}

/** The units that the fleet counts, in one market or in both. */
export function unitsHeld(fleet: StandingFleet, market?: Market): number {
  let units = 0;
  for (const member of fleet.members.values())
    if (market === undefined || member.market === market) units += member.weight;
  return units;
}

/** Ordered units of a market. */
export function unitsOrdered(fleet: StandingFleet, market: Market): number {
  let units = 0;
  for (const order of fleet.orders)
    for (const options of order.markets) if (options.market === market) units += options.units;
  return units;
}

/** Target units of a market. */
export function unitsWanted(fleet: StandingFleet, market: Market): number {
  return market === 'spot' ? fleet.target.spot : market === 'on-demand' ? fleet.target.onDemand : 0;
}

export function isStopped(fleet: StandingFleet): boolean {
  return fleet.state === 'stopped' || fleet.state === 'stopped_running' || fleet.state === 'stopped_terminating';
}

/** The members as of a time. */
export function membersAt(fleet: StandingFleet, at: number): FleetMember[] {
  return [...fleet.departed, ...fleet.members.values()]
    .filter((member) => member.joinedAt <= at && (member.leftAt === undefined || at < member.leftAt))
    .toSorted((a, b) => a.instance.place - b.instance.place);
}
