import type { Params } from '../wire/form.ts';
import type { Instance, Keeper } from './instances/instance.ts';

/** What a group can be told to leave off. Only the first five do anything here. */
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

/** A tag of a group; machines get it at launch where that is said. */
export interface GroupTag {
  readonly value: string;
  readonly propagate: boolean;
}

/** A launch template as a group names it; a version such as `$Latest` is looked up at each launch. */
export interface TemplateName {
  readonly id: string;
  readonly name: string;
  /** As it was given; undefined = the default version. */
  readonly version: string | undefined;
}

/** How a group gets its machines, in the names of CreateAutoScalingGroup. */
export interface LaunchSource {
  readonly template: TemplateName;
  /** `MixedInstancesPolicy`; undefined for a group with a template alone. */
  readonly policy: Params | undefined;
}

/** What Create and Update set. */
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

/** A machine in a group, as the group knows it: that one has ended comes to its knowledge later. */
export interface GroupMember {
  readonly instance: Instance;
  /** Units that it counts. */
  readonly weight: number;
  readonly weighted: boolean;
  readonly template: TemplateName;
  readonly launch: Activity;
  guarded: boolean;
  healthy: boolean;
  /** The group has ordered or seen its end and counts it no more. */
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
  /** When it succeeds, unless something comes between. */
  doneAt: number;
  /** How it came to nothing. */
  failure: { readonly status: 'Failed' | 'Cancelled'; readonly at: number; readonly message: string } | undefined;
}

/** An Auto Scaling group. */
export interface Group {
  readonly name: string;
  readonly arn: string;
  readonly createdAt: number;
  /** Rises with every group of a region: the order of lists. */
  readonly place: number;
  readonly keeper: Keeper;
  readonly tags: Map<string, GroupTag>;
  readonly suspended: Map<ProcessName, string>;
  readonly members: Map<string, GroupMember>;
  readonly activities: Activity[];
  config: GroupConfig;
  /** In units. */
  desired: number;
  /** Units on their way: decided on, and not there yet. */
  launching: number;
  /** Launch rounds in a row that fell short. */
  failures: number;
  /** No launch before then. */
  retryAt: number;
  /** Attempts in a row to balance the zones that came to nothing, and when the next may be. */
  unbalanced: { failures: number; retryAt: number };
  /** Whether a check of its machines is planned. */
  checking: boolean;
  /** When it looks at itself next; undefined = when something changes. */
  wakeAt: number | undefined;
  /** The last time that it grew or shrank by itself. */
  scaledAt: number | undefined;
  /** When somebody asked to delete it; it is there until its machines are gone. */
  deletedAt: number | undefined;
}

/** The groups of a region. */
export interface GroupShelf {
  /** Groups that exist, those that are being deleted among them. */
  readonly byName: Map<string, Group>;
  /** Groups that are gone; their activities can still be read. */
  readonly gone: Group[];
  nextPlace: number;
  nextActivity: number;
}

export function createGroupShelf(): GroupShelf {
  return { byName: new Map(), gone: [], nextPlace: 0, nextActivity: 0 };
}

/** Units of the machines that a group counts on. */
export function capacityOf(group: Group): number {
  let units = 0;
  for (const member of group.members.values()) if (!member.leaving) units += member.weight;
  return units;
}

/** Machines that a group counts on, in order of launch. */
export function stayingMembers(group: Group): GroupMember[] {
  return [...group.members.values()].filter((member) => !member.leaving);
}
