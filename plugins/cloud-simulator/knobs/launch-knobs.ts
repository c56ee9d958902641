import { launchName } from './action-shapes.ts';
import { typePattern, zonePattern } from './pool-names.ts';
import {
  boolean,
  wholeNumber,
  listOf,
  mapOf,
  orNull,
  milliseconds,
  oneWordOf,
  positive,
  record,
  type Shapes,
  string,
} from './shapes.ts';
import { rule, type When } from './when.ts';

/**
 * Pools of machines: of a type, in a zone, of a market. Absent or `*` matches any; a star within stands for any text,
 * as in `m5.*`.
 */
export interface PoolPattern extends When {
  readonly instance_type?: string;
  readonly zone?: string;
  readonly market?: 'on-demand' | 'spot' | 'capacity-block' | '*';
}

/** `count` places in every pool that matches, running machines included. The last rule that matches a pool decides. */
export interface CapacityRule extends PoolPattern {
  readonly count: number;
  /** The error when they are taken; default InsufficientInstanceCapacity. */
  readonly code?: string;
}

/**
 * The price of a machine an hour in US dollars in every pool that matches; the last rule decides. Default: the
 * catalogue's.
 */
export interface PriceRule extends PoolPattern {
  readonly price: number;
}

/** Launches deliver at most `deliver` machines per call, as if the rest had found no capacity. */
export interface PartialRule extends When {
  /**
   * An action that launches, or `*`. Machines that fleets and groups start by themselves count for the action that
   * created the fleet or the group (CreateFleet, RequestSpotFleet, CreateAutoScalingGroup).
   */
  readonly action: string;
  readonly deliver: number;
  /** How many calls: default null = all. */
  readonly times?: number | null;
}

/** The next machines that match fail after they were accepted: pending, then terminated with a reason. */
export interface LateFailureRule extends When {
  readonly instance_type?: string;
  readonly zone?: string;
  /** How many machines: default 1, null = all. */
  readonly times?: number | null;
  /** State reason, default Server.InternalError. */
  readonly code?: string;
  readonly message?: string;
  /** From launch to failure: default half of the time that the machine would have taken to boot. */
  readonly after_ms?: number;
}

/** The next machines that match stay pending forever. */
export interface StuckRule extends When {
  readonly instance_type?: string;
  readonly zone?: string;
  /** How many machines: default 1, null = all. */
  readonly times?: number | null;
}

/**
 * A capacity block: a reservation of `count` machines of a type in a zone. Launches with MarketType capacity-block use
 * it while the rule is in force; otherwise, and when all places are taken, they end with ReservationCapacityExceeded.
 */
export interface CapacityBlock extends When {
  /** `cr-…` */
  readonly id: string;
  readonly instance_type: string;
  readonly zone: string;
  readonly count: number;
}

/** Quotas of an account in a region; null = no bound. */
export interface Quotas {
  /** vCPUs of On-Demand machines: VcpuLimitExceeded. */
  readonly on_demand_vcpus: number | null;
  /** Spot machines: MaxSpotInstanceCountExceeded. */
  readonly spot_machines: number | null;
  /**
   * Fleets of type request and maintain that are not deleted: MaxFleetCountExceeded; Spot fleets:
   * MaxSpotFleetRequestCountExceeded.
   */
  readonly fleets: number | null;
  /** Sum of the targets of those fleets: MaxFleetTargetCapacityExceeded. */
  readonly fleet_capacity: number | null;
  /** MaxTemplateLimitExceeded. */
  readonly templates: number | null;
  /** MaxTemplateVersionLimitExceeded. */
  readonly template_versions: number | null;
  /** LimitExceeded. */
  readonly groups: number | null;
}

/** Conditions of launches. */
export interface LaunchKnobs {
  /** Refuse images, subnets, groups, keys and profiles that the catalogue does not list. */
  readonly strict_ids: boolean;
  /** Values of Systems Manager parameters, by name. Default: each parameter holds a distinct image id. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Placement groups that exist, by name or id; null = every one, with `strict_ids` none. Others: InvalidPlacementGroup.Unknown. */
  readonly placement_groups: readonly string[] | null;
  /** Capacity blocks. While none is listed, every id is that of a block without a limit, with `strict_ids` of none. */
  readonly capacity_blocks: readonly CapacityBlock[];
  readonly capacity: readonly CapacityRule[];
  readonly prices: readonly PriceRule[];
  /**
   * The zone in which RunInstances launches when the call names no place: the one with the most room, or the first
   * that offers the type, also when it has no room.
   */
  readonly zone_choice: 'roomiest' | 'first';
  /** Addresses that a subnet has in all, running machines included: InsufficientFreeAddressesInSubnet. */
  readonly addresses: readonly { readonly subnet_id: string; readonly count: number }[];
  /** Subnets without IPv4: their machines have an IPv6 address, and a name that is made from their id. */
  readonly ipv6_only: readonly string[];
  readonly quotas: Quotas;
  readonly partial: readonly PartialRule[];
  readonly late_failures: readonly LateFailureRule[];
  readonly stuck: readonly StuckRule[];
}

export const launchDefaults: LaunchKnobs = {
  strict_ids: false,
  parameters: {},
  placement_groups: null,
  capacity_blocks: [],
  capacity: [],
  prices: [],
  zone_choice: 'roomiest',
  addresses: [],
  ipv6_only: [],
  quotas: {
    on_demand_vcpus: null,
    spot_machines: null,
    fleets: 1000,
    fleet_capacity: 100_000,
    templates: 5000,
    template_versions: 10_000,
    groups: 500,
  },
  partial: [],
  late_failures: [],
  stuck: [],
};

const machines: Shapes = { instance_type: typePattern, zone: zonePattern };
const pool: Shapes = { ...machines, market: oneWordOf('on-demand', 'spot', 'capacity-block', '*') };
const times = wholeNumber(1, 'null');
const quota = wholeNumber(0, 'null');

export const launchShapes: Shapes = {
  strict_ids: boolean,
  parameters: mapOf(string),
  placement_groups: orNull(listOf(string)),
  capacity_blocks: listOf(
    rule({ id: string, ...machines, count: wholeNumber(0) }, ['id', 'instance_type', 'zone', 'count']),
  ),
  capacity: listOf(rule({ ...pool, count: wholeNumber(0), code: string }, ['count'])),
  prices: listOf(rule({ ...pool, price: positive }, ['price'])),
  zone_choice: oneWordOf('roomiest', 'first'),
  addresses: listOf(record({ subnet_id: string, count: wholeNumber(0) }, ['subnet_id', 'count'])),
  ipv6_only: listOf(string),
  quotas: record({
    on_demand_vcpus: quota,
    spot_machines: quota,
    fleets: quota,
    fleet_capacity: quota,
    templates: quota,
    template_versions: quota,
    groups: quota,
  }),
  partial: listOf(rule({ action: launchName, deliver: wholeNumber(0), times }, ['action', 'deliver'])),
  late_failures: listOf(rule({ ...machines, times, code: string, message: string, after_ms: milliseconds })),
  stuck: listOf(rule({ ...machines, times })),
};
