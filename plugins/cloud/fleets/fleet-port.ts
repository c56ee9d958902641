import type { Call, LaunchOrder } from '../../../core/index.ts';
import type { TemplateVersion } from '../launch/launch-template.ts';
import type { Pool } from '../launch/pools.ts';
import type { CloudSession } from '../connection/session.ts';
import type { tagValue } from '../template/tags.ts';
import type { Target } from './targets.ts';

/**
 * Fleets that live on after their call. `request`: once filled, or stopped, it starts nothing more. `maintain`: it
 * refills up to its target.
 */
export const standingTypes = ['request', 'maintain'] as const;
export type StandingType = (typeof standingTypes)[number];

export const isStanding = (fleetType: unknown): fleetType is StandingType =>
  standingTypes.some((each) => each === fleetType);

/**
 * A fleet as its cloud describes it, in words that EC2 fleets and Spot fleets share: a stopped one is called deleted
 * or cancelled there.
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
  /** Its last try came short. */
  readonly troubled: boolean;
  readonly token?: string;
  readonly tags: Parameters<typeof tagValue>[0];
  /** ISO 8601. */
  readonly created_at?: string;
  readonly target: Target;
  /** Units of capacity that it counts as its own. */
  readonly fulfilled: number;
  /** It never ends a machine because its target was lowered. */
  readonly keeps: boolean;
  /** Epoch milliseconds after which it starts nothing more. */
  readonly valid_until?: number;
}

/** A line of a fleet's history that is not about one machine. */
export interface FleetEvent {
  readonly sub_type: string;
  readonly description: string;
}

/** What the two APIs call by different names. Every call throws a ProviderFault. */
export interface FleetPort {
  /** Fleets by id, at most 100. One id that the cloud does not know fails the call. */
  describe(session: CloudSession, ids: readonly string[], call: Call): Promise<FleetView[]>;
  /** All fleets, page after page: neither API finds one by tag or token. */
  list(session: CloudSession, call: Call): AsyncIterable<FleetView>;
  /** Sets the target of a fleet of type maintain, and that it ends no machine for it. */
  retarget(session: CloudSession, id: string, target: Target, call: Call): Promise<void>;
  /** Stops a fleet and leaves its machines alone. */
  stop(session: CloudSession, id: string, call: Call): Promise<void>;
  history(session: CloudSession, id: string, since: Date, call: Call): Promise<FleetEvent[]>;
}

/** By what a standing fleet is followed. Also says what its machines count as, because a release sees no order. */
export interface StandingHandle {
  readonly fleet_type: StandingType;
  readonly fleet_id: string;
  /** Units of capacity that one machine still to come is counted as: the smallest weight. */
  readonly unit: number;
  /** Part of its machines that is on demand, from 0 to 1. */
  readonly on_demand: number;
  /** Seen to be at its end: it starts nothing more. Only for type request, and for fleets that were stopped. */
  readonly complete?: boolean;
}

/** What both APIs freeze before the launch. */
export interface StandingPrepared {
  readonly fleet_type: string;
  /** The input of the call that makes the fleet. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly template: TemplateVersion;
  /** Pools that this order may draw on. */
  readonly pools: readonly Pool[];
  /** Units of capacity that it asks for: in all, and of these on demand. */
  readonly target: number;
  readonly target_on_demand: number;
  readonly unit: number;
  /** Units of capacity by machine type, as the overrides say; a type that is not listed counts as 1. */
  readonly weights: Readonly<Record<string, number>>;
}

export type StandingOrder = LaunchOrder<any, StandingPrepared>;
/** An order that may have broken off while it was prepared. */
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
