import type { LaunchSpec } from '../../launch/specification/launch-spec.ts';
import type { Subnet } from '../network/subnets.ts';
import type { Tags } from '../tags.ts';

export type StateName = 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';

/** Codes that EC2 sends beside the names. */
export const stateCodes: Readonly<Record<StateName, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
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
  /** Called when a machine begins to stop at the time `at`. Fleets do not react. */
  onStopping?(instance: Instance, at: number): void;
}

/** A machine that is stopped, from the call until it is started again. */
export interface Stop {
  readonly at: number;
  /** Time at which the state becomes `stopped`. */
  readonly doneAt: number;
}

/** The interruption of a Spot machine. */
export interface Interruption {
  /** Time of the notice in the Spot request, before the machine ends. */
  readonly noticedAt: number;
  readonly code: 'instance-terminated-no-capacity' | 'instance-terminated-by-price';
}

/** The state reason of a machine that ended. */
export interface EndReason {
  readonly code: string;
  readonly message: string;
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
  /** Replaced when a caller changes attributes of this machine alone; the id stays. */
  reservation: Reservation;
  readonly launchIndex: number;
  readonly zone: string;
  readonly subnet: Subnet;
  /** Offset of its private address in the subnet. */
  readonly address: number;
  /** Offsets of its further private addresses. */
  readonly secondary: readonly number[];
  /** Whether it has an IPv6 address instead of the private address. */
  readonly ipv6Only: boolean;
  readonly spotRequestId: string | undefined;
  readonly launchedAt: number;
  /** Time of the launch or of the last start, which answers show as the launch time. */
  startedAt: number;
  /** Infinite for a machine that stays pending. */
  runningAt: number;
  stop: Stop | undefined;
  /** Milliseconds that the machine was stopped before its last start, which are not billed. */
  stoppedMs: number;
  tags: Tags;
  /** Mutable, because a group can detach a machine. */
  controller: CapacityController | undefined;
  interruption: Interruption | undefined;
  /** Time at which a caller cancelled its Spot request. The machine runs on. */
  requestCancelledAt: number | undefined;
  /** Time at which its end began, and its billing stopped. */
  shutdownAt: number | undefined;
  terminatedAt: number | undefined;
  /** Why it ended. */
  reason: EndReason | undefined;
}

/** The state of a machine at a time. */
export function stateOf(instance: Instance, now: number): StateName {
  if (instance.shutdownAt === undefined || now < instance.shutdownAt) {
    if (instance.stop !== undefined && now >= instance.stop.at)
      return now < instance.stop.doneAt ? 'stopping' : 'stopped';
    return now < instance.runningAt ? 'pending' : 'running';
  }
  return now < (instance.terminatedAt ?? Number.POSITIVE_INFINITY) ? 'shutting-down' : 'terminated';
}

/**
 * Milliseconds for which a machine is billed: from its launch to the beginning of its end, without its stops. Launch
 * and end are whole seconds, as EC2 tells them and bills by them.
 */
export function billedMs(instance: Instance, now: number): number {
  const end = instance.shutdownAt === undefined ? now : Math.min(now, wholeSecond(instance.shutdownAt));
  const stopped = instance.stop === undefined ? 0 : Math.max(0, end - instance.stop.at);
  return Math.max(0, end - wholeSecond(instance.launchedAt) - instance.stoppedMs - stopped);
}

/** EC2 tells times of machines in whole seconds. */
export const wholeSecond = (at: number): number => Math.floor(at / 1000) * 1000;

/** Neither terminated nor about to be: what a caller still owns. */
export function isLive(instance: Instance, now: number): boolean {
  return instance.shutdownAt === undefined || now < instance.shutdownAt;
}

/** Why and when a machine ended or stopped; undefined while it does neither. */
export function reasonOf(instance: Instance, now: number): (EndReason & { readonly at: number }) | undefined {
  const { shutdownAt, stop, reason } = instance;
  if (shutdownAt !== undefined && now >= shutdownAt && reason !== undefined) return { ...reason, at: shutdownAt };
  return stop === undefined || now < stop.at ? undefined : { ...userInitiated, at: stop.at };
}

/** The id of a volume of a machine, by its place in the machine's list: it ends like the id of the machine. */
export function volumeId(instance: Instance, index: number): string {
  const suffix = instance.id.slice(2);
  return `vol-${index === 0 ? suffix : (index.toString(16) + suffix.slice(1)).slice(0, suffix.length)}`;
}
