import { boolean, milliseconds, oneWordOf, record, type Shapes, wholeNumber } from './shapes.ts';
import { type Span, span } from './span.ts';

/** How EC2 fleets of type request and maintain, and Spot fleets, behave. */
export interface FleetKnobs {
  /** Time from submitted to active, when the first machines are ordered. */
  readonly start_ms: Span;
  /** Time from the decision to launch until the machines exist. A fleet that is stopped in between still gets them. */
  readonly launch_ms: Span;
  /**
   * Wait after an attempt that fell short, for each market separately; doubles each time, up to sixteen times its
   * first length. At least 100 ms.
   */
  readonly retry_ms: Span;
  /** How long a change of target takes; until then the state is `modifying`. */
  readonly modify_ms: Span;
  /** How long a fleet does not notice the end of a machine. Its counts are stale until then. */
  readonly notice_ms: Span;
  /**
   * How old the list of a fleet's machines is that DescribeFleetInstances and DescribeSpotFleetInstances show: AWS
   * refreshes the list periodically and documents no interval.
   */
  readonly stale_ms: Span;
  /** How late history records can be read. */
  readonly history_ms: number;
  /** Whether a fleet of type request that fell short retries. AWS documents both. */
  readonly request_retries: boolean;
  /**
   * What becomes of machines that arrive after their fleet was deleted, or expired, together with its machines: the
   * fleet ends them `launch_ms` later, or forgets them.
   */
  readonly late_machines: 'end' | 'stay';
  /**
   * How an instant fleet reports a launch template or a version that does not exist or is not visible yet: as an error
   * of its pools, with status 200 and a used token, or by refusing the call. Other fleets refuse the call.
   */
  readonly missing_template: 'errors' | 'refused';
  /**
   * How many pools of a market that lack machines an instant fleet tries; it reports UnfulfillableCapacity for the
   * pools behind them, whether these have machines or not. null = it tries all. AWS documents neither.
   */
  readonly instant_tries: number | null;
  /** The error of ModifyFleet while a fleet is modifying: both codes have been observed. */
  readonly not_modifiable_code: 'FleetNotInModifiableState' | 'IncorrectState';
  /**
   * A ModifyFleet that names only a total below the On-Demand part of a fleet whose default type is on-demand: the
   * On-Demand part shrinks with the total, or the call is refused. AWS documents neither.
   */
  readonly lower_total: 'shrink' | 'refuse';
}

/** How Auto Scaling groups behave. */
export interface GroupKnobs {
  /** Time from a change to the group's reaction, and from a decision to launch until the machines exist. */
  readonly react_ms: Span;
  /** Interval of health checks, during which the end of a machine goes unnoticed. */
  readonly health_ms: Span;
  /** Wait after a failed launch; doubles each time, up to sixteen times its first length. */
  readonly retry_ms: Span;
  /** Time from the end of the last machine to the end of a deleted group. */
  readonly delete_ms: Span;
  /**
   * Whether scale-in protection and a suspended process Terminate protect only machines in service: a pending machine
   * then may end when the group is above its desired capacity.
   */
  readonly ends_pending: boolean;
}

export interface CapacityKnobs {
  readonly fleets: FleetKnobs;
  readonly groups: GroupKnobs;
}

export const capacityDefaults: CapacityKnobs = {
  fleets: {
    start_ms: 500,
    launch_ms: 500,
    retry_ms: 5000,
    modify_ms: 1000,
    notice_ms: 3000,
    stale_ms: 0,
    history_ms: 30_000,
    request_retries: true,
    late_machines: 'end',
    missing_template: 'errors',
    instant_tries: 3,
    not_modifiable_code: 'FleetNotInModifiableState',
    lower_total: 'shrink',
  },
  groups: { react_ms: 500, health_ms: 5000, retry_ms: 5000, delete_ms: 1000, ends_pending: true },
};

export const capacityShapes: Shapes = {
  fleets: record({
    start_ms: span,
    launch_ms: span,
    retry_ms: span,
    modify_ms: span,
    notice_ms: span,
    stale_ms: span,
    history_ms: milliseconds,
    request_retries: boolean,
    late_machines: oneWordOf('end', 'stay'),
    missing_template: oneWordOf('errors', 'refused'),
    instant_tries: wholeNumber(1, 'null'),
    not_modifiable_code: oneWordOf('FleetNotInModifiableState', 'IncorrectState'),
    lower_total: oneWordOf('shrink', 'refuse'),
  }),
  groups: record({ react_ms: span, health_ms: span, retry_ms: span, delete_ms: span, ends_pending: boolean }),
};
