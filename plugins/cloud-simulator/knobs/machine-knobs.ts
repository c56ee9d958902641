import { zonePattern } from './pool-names.ts';
import { both, listOf, milliseconds, oneWordOf, seconds, share, type Shapes, string } from './shapes.ts';
import { type Span, span } from './span.ts';
import { rule, type When } from './when.ts';

/**
 * The cloud reclaims Spot machines: those of `instance_ids`, or a `share` of all (rounded, but at least one; default
 * all). The rule acts once, when the knob is set, or with `from_ms` at that time, then for each region separately.
 * With `after_ms` it also reclaims each Spot machine that is launched while the rule is in force, with the
 * probability `share`, that long after the machine runs.
 */
export interface ReclaimRule extends When {
  readonly instance_ids?: readonly string[];
  readonly share?: number;
  /** Seconds from the notice in DescribeSpotInstanceRequests to the end of the machine. Default 120; 0 = no notice. */
  readonly notice_s?: number;
  readonly after_ms?: Span;
}

/**
 * Health of running machines that differs from `ok`: of `instance_ids`, or of all in a `zone`, or of all. The last
 * rule that concerns a check decides.
 */
export interface HealthRule extends When {
  readonly instance_ids?: readonly string[];
  readonly zone?: string;
  /** Which check fails. Default instance. */
  readonly check?: 'instance' | 'system' | 'ebs';
  /** Default impaired. */
  readonly status?: 'impaired' | 'insufficient-data' | 'initializing';
  /**
   * A scheduled event beside it, such as instance-retirement, due `event_in_ms` (default a day) after the knob was
   * set.
   */
  readonly event?:
    | 'instance-reboot'
    | 'system-reboot'
    | 'system-maintenance'
    | 'instance-retirement'
    | 'instance-stop';
  readonly event_in_ms?: number;
}

/**
 * A zone (`*a` = the first of every region) that is out of service. Launches there fail with Unavailable; so do calls
 * that end its machines, and describing calls whose answer has, or may have, its machines. Its machines are impaired.
 */
export interface OutageRule extends When {
  readonly zone: string;
}

/** What happens to machines. */
export interface MachineKnobs {
  /** From launch to `running`. */
  readonly boot_ms: Span;
  /** From TerminateInstances to `terminated`. */
  readonly shutdown_ms: Span;
  readonly reclaim: readonly ReclaimRule[];
  readonly health: readonly HealthRule[];
  readonly outages: readonly OutageRule[];
  /** Machines with termination protection, beside those that were launched with it. */
  readonly protected: readonly string[];
}

export const machineDefaults: MachineKnobs = {
  boot_ms: 2000,
  shutdown_ms: 1000,
  reclaim: [],
  health: [],
  outages: [],
  protected: [],
};

const health = rule({
  instance_ids: listOf(string),
  zone: zonePattern,
  check: oneWordOf('instance', 'system', 'ebs'),
  status: oneWordOf('impaired', 'insufficient-data', 'initializing'),
  event: oneWordOf('instance-reboot', 'system-reboot', 'system-maintenance', 'instance-retirement', 'instance-stop'),
  event_in_ms: milliseconds,
});

export const machineShapes: Shapes = {
  boot_ms: span,
  shutdown_ms: span,
  reclaim: listOf(rule({ instance_ids: listOf(string), share, notice_s: seconds, after_ms: span })),
  health: listOf(
    both(health, ({ event, event_in_ms }, path) =>
      event_in_ms !== undefined && event === undefined ? [`${path}/event_in_ms: goes with event only`] : [],
    ),
  ),
  outages: listOf(rule({ zone: zonePattern }, ['zone'])),
  protected: listOf(string),
};
