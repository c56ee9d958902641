import type {
  Call,
  Launch,
  LaunchOrder,
  ReleaseTarget,
  Observation,
  Progress,
  ProviderFault,
  Watched,
} from '../../core/index.ts';
import type { CloudSession, StandingPrepared } from '../cloud/index.ts';

/** Identifies a fleet. The handle of a standing fleet has more fields. */
export interface FleetHandle {
  readonly fleet_type: string;
  /** Absent when the machines were found by their tags and none of them names its fleet. */
  readonly fleet_id?: string;
}

/** Stored before the launch: each attempt to send the order sends exactly this. */
export type Prepared = StandingPrepared;

export type FleetOrder = LaunchOrder<any, Prepared>;
/** An order that may have broken off during its preparation. */
export type LeftOrder = LaunchOrder<any, Prepared | undefined>;

/**
 * The operations of one type of fleet. The types share parameters; each type grows, is observed and is released in its
 * own way.
 */
export interface FleetType {
  readonly fleet_type: string;
  launch(session: CloudSession, order: FleetOrder, call: Call): Promise<Launch<FleetHandle>>;
  observe(
    session: CloudSession,
    watched: readonly Watched<FleetHandle>[],
    call: Call,
  ): Promise<readonly (Observation<FleetHandle> | ProviderFault)[]>;
  release(session: CloudSession, handle: FleetHandle, releaseTarget: ReleaseTarget, call: Call): Promise<Progress>;
  find(session: CloudSession, order: FleetOrder, call: Call): Promise<FleetHandle | undefined>;
  dispose(
    session: CloudSession,
    left: { readonly order: LeftOrder; readonly handle?: FleetHandle },
    call: Call,
  ): Promise<Progress>;
}
