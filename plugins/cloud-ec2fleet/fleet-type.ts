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

/** By what a fleet is found again. Standing fleets keep more with it. */
export interface FleetHandle {
  readonly fleet_type: string;
  /** Absent when its machines were found, and none of them says which fleet started it. */
  readonly fleet_id?: string;
}

/** Frozen before the launch: exactly what is sent, each time. */
export type Prepared = StandingPrepared;

export type FleetOrder = LaunchOrder<any, Prepared>;
/** An order that may have broken off while it was prepared. */
export type LeftOrder = LaunchOrder<any, Prepared | undefined>;

/**
 * How fleets of one type live. The types share parameters and little else: each has its own way to grow, to be
 * followed and to end.
 */
export interface FleetType {
  readonly fleet_type: string;
  launch(session: CloudSession, order: FleetOrder, call: Call): Promise<Launch<FleetHandle>>;
  observe(
    session: CloudSession,
    watched: readonly Watched<FleetHandle>[],
    call: Call,
  ): Promise<readonly (Observation<FleetHandle> | ProviderFault)[]>;
  release(session: CloudSession, handle: FleetHandle, aim: ReleaseTarget, call: Call): Promise<Progress>;
  find(session: CloudSession, order: FleetOrder, call: Call): Promise<FleetHandle | undefined>;
  dispose(
    session: CloudSession,
    left: { readonly order: LeftOrder; readonly handle?: FleetHandle },
    call: Call,
  ): Promise<Progress>;
}
