import type { FleetPool, FleetError } from './fleet-pool.ts';
import type { MarketOptions } from '../../launch/fleets/fleet-request.ts';
import type { Market } from '../../launch/specification/launch-spec.ts';
import type { FleetTarget } from './fleet-target.ts';
import type { Instance, Keeper } from '../instances/instance.ts';
import type { Tags } from '../tags.ts';
import type { Params } from '../../wire/form.ts';

/** EC2 fleets (`fleet-…`) and Spot fleets (`sfr-…`) behave alike; they differ in words and wire. */
export type FleetKind = 'ec2' | 'spot';

/** A stopped fleet is called deleted, or cancelled if it is a Spot fleet. */
export type FleetState = 'submitted' | 'active' | 'modifying' | 'stopped_running' | 'stopped_terminating' | 'stopped';

/** What a call asked for. */
export interface FleetRequest {
  readonly kind: FleetKind;
  /** Spot fleets are the same under their own words. */
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
  /** What a unit may cost where no pool says otherwise. */
  readonly maxPrice: number | undefined;
  readonly tags: Tags;
  /** The parameters that describing calls echo. */
  readonly echo: Params;
}

/** What happens to machines above a lowered target. */
export type ExcessPolicy = 'termination' | 'no-termination';

/** A fleet that lives on after its call: EC2 fleets of type request and maintain, and Spot fleets. */
export interface StandingFleet {
  readonly kind: FleetKind;
  readonly id: string;
  readonly type: 'request' | 'maintain';
  readonly token: string | undefined;
  readonly createdAt: number;
  readonly request: FleetRequest;
  readonly keeper: Keeper;
  tags: Tags;
  target: FleetTarget;
  pools: readonly FleetPool[];
  excess: ExcessPolicy;
  echo: Params;
  state: FleetState;
  /** What the fleet takes for its machines: one that has ended counts until the fleet notices. */
  readonly members: Map<Instance, FleetMember>;
  /** Members that it has seen leave, for lists that are shown late. */
  readonly departed: FleetMember[];
  /** Machines of the fleet that are not terminated yet, seen or not. */
  readonly machines: Set<Instance>;
  /** What is ordered and has not come yet. */
  readonly orders: Set<Order>;
  /** Units that ever came: a fleet of type request never asks for them again. */
  readonly delivered: Record<Market, number>;
  readonly pauses: Record<Market, Pause>;
  /** Times at which the fleet will look after its machines. */
  readonly looks: Set<number>;
  /** Whether a check of the machines' health is planned. */
  checking: boolean;
  /** Whether it starts nothing any more, whatever is missing. */
  closed: boolean;
  /** Whether machines that still come are to end: it was stopped, or expired, together with its machines. */
  endsMachines: boolean;
  /** Of the last attempt in each market. */
  readonly errors: Record<Market, readonly FleetError[]>;
  readonly history: FleetRecord[];
}

/** Kinds of records; the wire has other words for them in EC2 fleets than in Spot fleets. */
export type RecordKind = 'fleet' | 'instance' | 'error' | 'information';

/** Something that happened to a fleet. */
export interface FleetRecord {
  readonly at: number;
  readonly kind: RecordKind;
  readonly event: string;
  readonly description: string | undefined;
  readonly instanceId: string | undefined;
}

/** A machine as its fleet sees it. */
export interface FleetMember {
  readonly instance: Instance;
  readonly market: Market;
  readonly weight: number;
  /** What a unit of it cost an hour when it was started. */
  readonly unitPrice: number;
  readonly joinedAt: number;
  leftAt: number | undefined;
}

/** Machines that were decided upon. */
export interface Order {
  /** With the units that are wanted of each market. */
  readonly markets: readonly MarketOptions[];
  /** As they were then: an order comes although its template is deleted meanwhile. */
  readonly pools: readonly FleetPool[];
  readonly gone: readonly FleetError[];
}

/** When a market may be ordered from again. */
export interface Pause {
  readonly until: number;
  /** Attempts in succession that fell short. */
  readonly failures: number;
}

/** Units of a market, or of both, that the fleet counts as its own. */
export function unitsHeld(fleet: StandingFleet, market?: Market): number {
  let units = 0;
  for (const member of fleet.members.values())
    if (market === undefined || member.market === market) units += member.weight;
  return units;
}

/** Units of a market that are on their way. */
export function unitsOrdered(fleet: StandingFleet, market: Market): number {
  let units = 0;
  for (const order of fleet.orders)
    for (const options of order.markets) if (options.market === market) units += options.units;
  return units;
}

/** Units of a market that the fleet is to have. */
export function unitsWanted(fleet: StandingFleet, market: Market): number {
  return market === 'spot' ? fleet.target.spot : fleet.target.onDemand;
}

export function isStopped(fleet: StandingFleet): boolean {
  return fleet.state === 'stopped' || fleet.state === 'stopped_running' || fleet.state === 'stopped_terminating';
}

/** The members that were seen at a time. */
export function membersAt(fleet: StandingFleet, at: number): FleetMember[] {
  return [...fleet.departed, ...fleet.members.values()]
    .filter((member) => member.joinedAt <= at && (member.leftAt === undefined || at < member.leftAt))
    .toSorted((a, b) => a.instance.place - b.instance.place);
}
