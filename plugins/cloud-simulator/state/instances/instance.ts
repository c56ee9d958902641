import type { LaunchSpec } from '../../launch/specification/launch-spec.ts';
import type { Subnet } from '../network/subnets.ts';
import type { Tags } from '../tags.ts';

export type StateName = 'pending' | 'running' | 'shutting-down' | 'terminated';

/** Codes that EC2 sends beside the names. */
export const stateCodes: Readonly<Record<StateName, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
};

/** How long a terminated machine stays visible: about an hour in EC2. */
export const goneAfterMs = 3_600_000;

/** The machines of one launch: one RunInstances call, or one pool of a fleet. */
export interface Reservation {
  readonly id: string;
  readonly spec: LaunchSpec;
  /** The token that RunInstances carried; machines of fleets have none. */
  readonly token: string | undefined;
}

/** The fleet or group that maintains the capacity to which a machine belongs, and that must learn of its end. */
export interface CapacityController {
  readonly id: string;
  /** Called when the end of a machine begins at the time `at`, whatever caused it. */
  onEnding(instance: Instance, at: number): void;
}

/** The interruption of a Spot machine. */
export interface Interruption {
  /** Time of the notice in the Spot request, before the machine ends. */
  readonly noticedAt: number;
  readonly code: 'instance-terminated-no-capacity' | 'instance-terminated-by-price';
}

/** The state reason of machines that a caller, a fleet or a group ended. */
export const userInitiated = {
  code: 'Client.UserInitiatedShutdown',
  message: 'Client.UserInitiatedShutdown: User initiated shutdown',
};

/** One machine. Its state is not stored but follows from its times and the clock. */
export interface Instance {
  readonly id: string;
  /** Rises with every machine of a region: the order of lists and the place in their pages. */
  readonly place: number;
  readonly reservation: Reservation;
  readonly launchIndex: number;
  readonly zone: string;
  readonly subnet: Subnet;
  /** Offset of its private address in the subnet. */
  readonly address: number;
  /** Whether it has an IPv6 address instead of the private address. */
  readonly ipv6Only: boolean;
  readonly spotRequestId: string | undefined;
  readonly launchedAt: number;
  /** Infinite for a machine that stays pending. */
  readonly runningAt: number;
  tags: Tags;
  /** Mutable, because a group can detach a machine. */
  controller: CapacityController | undefined;
  interruption: Interruption | undefined;
  /** Time at which its end began, and its billing stopped. */
  shutdownAt: number | undefined;
  terminatedAt: number | undefined;
  /** Why it ended. */
  reason: { readonly code: string; readonly message: string } | undefined;
}

/** The state of a machine at a time. */
export function stateOf(instance: Instance, now: number): StateName {
  if (instance.shutdownAt === undefined || now < instance.shutdownAt)
    return now < instance.runningAt ? 'pending' : 'running';
  return now < (instance.terminatedAt ?? Number.POSITIVE_INFINITY) ? 'shutting-down' : 'terminated';
}

/** Pending or running: what a caller still owns and pays for. */
export function isLive(instance: Instance, now: number): boolean {
  return instance.shutdownAt === undefined || now < instance.shutdownAt;
}
