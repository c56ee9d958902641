import type { Call, LaunchOrder } from '../../../core/index.ts';
import type { TemplateVersion } from '../launch/launch-template.ts';
import type { LeftOut } from '../launch/one-per-zone.ts';
import type { Pool } from '../launch/pools.ts';
import type { CloudSession } from '../connection/session.ts';
import type { tagValue } from '../template/tags.ts';
import type { Target } from './targets.ts';

/**
 * Types of fleets that exist after their call. `request`: starts no more machines once it is filled or stopped.
 * `maintain`: replaces machines up to its target.
 */
export const standingTypes = ['request', 'maintain'] as const;
export type StandingType = (typeof standingTypes)[number];

export const isStanding = (fleetType: unknown): fleetType is StandingType =>
  standingTypes.some((each) => each === fleetType);

/**
 * A fleet as the cloud describes it, with the fields that EC2 fleets and Spot fleets share. The state `stopped` is
 * called deleted or cancelled by the two APIs.
 */
export interface FleetView {
  readonly id: string;
  readonly state:
    | 'submitted'
    | 'active'
    | 'modifying'
    | 'stopped_running'
    | 'stopped_terminating'
    | 'stopped'
    | 'failed';
  /** The last launch of the fleet delivered fewer machines than its target. */
  readonly hasError: boolean;
  readonly token?: string;
  readonly tags: Parameters<typeof tagValue>[0];
  /** ISO 8601. */
  readonly created_at?: string;
  readonly target: Target;
  /** Units of capacity that the fleet counts as delivered. */
  readonly fulfilled: number;
  /** The fleet never terminates a machine when its target is lowered. */
  readonly neverTerminates: boolean;
  /** Epoch milliseconds after which the fleet starts no more machines. */
  readonly valid_until?: number;
}

/** An event in the history of a fleet that is not about one machine. */
export interface FleetEvent {
  readonly sub_type: string;
  readonly description: string;
}

/** The calls of an API of standing fleets. Every call throws a ProviderFault. */
export interface FleetPort {
  /** Describes at most 100 fleets by id. One id that the cloud does not know fails the call. */
  describe(session: CloudSession, ids: readonly string[], call: Call): Promise<FleetView[]>;
  /** Lists all fleets, page by page: neither API can filter by tag or token. */
  list(session: CloudSession, call: Call): AsyncIterable<FleetView>;
  /** Sets the target of a fleet of type maintain, so that the fleet terminates no machine. */
  retarget(session: CloudSession, id: string, target: Target, call: Call): Promise<void>;
  /** Stops a fleet and leaves its machines alone. */
  stop(session: CloudSession, id: string, call: Call): Promise<void>;
  history(session: CloudSession, id: string, since: Date, call: Call): Promise<FleetEvent[]>;
}

/** Identifies a standing fleet, and holds how its machines are counted, because a release has no order. */
export interface StandingHandle {
  readonly fleet_type: StandingType;
  readonly fleet_id: string;
  /** Units of capacity of one incoming machine: the smallest weight. */
  readonly unit: number;
  /** The share of on-demand machines, from 0 to 1. */
  readonly on_demand: number;
  /**
   * The fleet starts no more machines, as an observation showed. Only for fleets of type request and for stopped
   * fleets.
   */
  readonly complete?: boolean;
}

/** What both APIs store before the launch. */
export interface StandingPrepared {
  readonly fleet_type: string;
  /** The input of the call that creates the fleet. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly template: TemplateVersion;
  /** Pools that this order may use. */
  readonly pools: readonly Pool[];
  /** Pools that a later order may use. Absent: none. */
  readonly left_out?: readonly LeftOut[];
  /** Units of capacity that the order requests: in total, and on demand. */
  readonly target: number;
  readonly target_on_demand: number;
  readonly unit: number;
  /** Units of capacity by machine type, from the overrides. A type that is not listed counts as 1. */
  readonly weights: Readonly<Record<string, number>>;
}

export type StandingOrder = LaunchOrder<any, StandingPrepared>;
/** An order that may have broken off during its preparation. */
export type LeftOrder = LaunchOrder<any, StandingPrepared | undefined>;

/** The handle of an order's fleet. */
export function handleOf(
  { fleet_type, target, target_on_demand, unit }: StandingPrepared,
  fleet_id: string,
): StandingHandle {
  return {
    fleet_type: fleet_type as StandingType,
    fleet_id,
    unit,
    on_demand: target === 0 ? 0 : target_on_demand / target,
  };
}
