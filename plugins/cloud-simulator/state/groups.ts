import type { Params } from '../wire/form.ts';
import type { Instance, CapacityController } from './instances/instance.ts';

/** Processes that can be suspended. Only the first five have an effect here. */
export const processNames = [
  'Launch',
  'Terminate',
  'HealthCheck',
  'ReplaceUnhealthy',
  'AZRebalance',
  'InstanceRefresh',
  'AddToLoadBalancer',
  'AlarmNotification',
  'ScheduledActions',
] as const;

export type ProcessName = (typeof processNames)[number];

/** A tag of a group; with `propagate`, machines get it at launch. */
export interface GroupTag {
  readonly value: string;
  readonly propagate: boolean;
}

/** A launch template as a group names it; a version such as `$Latest` is resolved at each launch. */
export interface TemplateName {
  readonly id: string;
  readonly name: string;
  /** As received; undefined = the default version. */
  readonly version: string | undefined;
}

/** How a group gets its machines, in the names of CreateAutoScalingGroup. */
export interface LaunchSource {
  readonly template: TemplateName;
  /** `MixedInstancesPolicy`; undefined for a group with a template alone. */
  readonly policy: Params | undefined;
}

/** Settings of CreateAutoScalingGroup and UpdateAutoScalingGroup. */
export interface GroupConfig {
  readonly min: number;
  readonly max: number;
  readonly zones: readonly string[];
  /** Subnets in the order of the call; empty = the default subnets of the zones. */
  readonly subnets: readonly string[];
  readonly source: LaunchSource;
  readonly newProtected: boolean;
  readonly cooldownS: number;
  /** Settings that are only shown, by their element names. */
  readonly shown: ReadonlyMap<string, string>;
  /** Structures and lists of the call that are only shown. */
  readonly echoed: Params;
  readonly terminationPolicies: readonly string[];
}

/** A machine in a group, as the group knows it: the group notices the end of a machine later. */
export interface GroupMember {
  readonly instance: Instance;
  /** Units of the machine. */
  readonly weight: number;
  readonly weighted: boolean;
  /** Undefined for a machine that a caller attached. */
  readonly template: TemplateName | undefined;
  readonly launch: Activity;
  guarded: boolean;
  healthy: boolean;
  /** The group has ended it or noticed its end, and no longer counts it. */
  leaving: boolean;
}

/** One line of a group's history. */
export interface Activity {
  readonly id: string;
  /** Rises with every activity of a region. */
  readonly place: number;
  readonly group: Group;
  readonly description: string;
  readonly cause: string;
  readonly startedAt: number;
  readonly details: string;
  /** Time of success, unless the activity fails before. */
  doneAt: number;
  /** The failure of the activity, if any. */
  failure: { readonly status: 'Failed' | 'Cancelled'; readonly at: number; readonly message: string } | undefined;
}

/** An Auto Scaling group. */
export interface Group {
  readonly name: string;
  readonly arn: string;
  readonly createdAt: number;
  /** Rises with every group of a region: the order of lists. */
  readonly place: number;
  readonly controller: CapacityController;
  readonly tags: Map<string, GroupTag>;
  readonly suspended: Map<ProcessName, string>;
  readonly members: Map<string, GroupMember>;
  readonly activities: Activity[];
  config: GroupConfig;
  /** In units. */
  desired: number;
  /** Units that are decided but not launched yet. */
  launching: number;
  /** Consecutive launch rounds that fell short. */
  failures: number;
  /** No launch happens before this time. */
  retryAt: number;
  /** Consecutive failed attempts to balance the zones, and the time of the next attempt. */
  unbalanced: { failures: number; retryAt: number };
  /** Whether a check of its machines is planned. */
  checking: boolean;
  /** Time of the next planned reconciliation; undefined = none. */
  reconcileAt: number | undefined;
  /** Time of the last scaling activity. */
  scaledAt: number | undefined;
  /** Time of the deletion call; the group exists until its machines are gone. */
  deletedAt: number | undefined;
}

/** The groups of a region. */
export interface GroupTable {
  /** Existing groups, including those that are being deleted. */
  readonly byName: Map<string, Group>;
  /** Deleted groups, whose activities can still be read. */
  readonly gone: Group[];
  nextPlace: number;
  nextActivity: number;
}

export function createGroupTable(): GroupTable {
  return { byName: new Map(), gone: [], nextPlace: 0, nextActivity: 0 };
}

/** Units of the machines that a group counts. */
export function capacityOf(group: Group): number {
  let units = 0;
  for (const member of group.members.values()) if (!member.leaving) units += member.weight;
  return units;
}

/** Machines that a group counts, in order of launch. */
export function stayingMembers(group: Group): GroupMember[] {
  return [...group.members.values()].filter((member) => !member.leaving);
}
