import { Type, type Static } from 'typebox';
import { markets, type Market } from './market.ts';
import { Price } from './cost/price.ts';
import { UsageTags } from './usage/usage-tags.ts';

/** The states of a machine. `failed` is a state of muster alone: the machine never became usable, or was lost. */
export const machineStatuses = [
  'pending',
  'running',
  'shutting-down',
  'stopping',
  'stopped',
  'terminated',
  'failed',
] as const;
export const MachineStatus = Type.Enum([...machineStatuses]);
export type MachineStatus = (typeof machineStatuses)[number];

/**
 * Why a machine shall go. `surplus`: more machines arrived than the target. `late`: the machine arrived after the end
 * of the request. `failed`: it never became usable. `replaced`: another machine took its place.
 */
export const goingReasons = ['returned', 'cancelled', 'failed', 'surplus', 'late', 'replaced'] as const;
export type GoingReason = (typeof goingReasons)[number];

/** Identifies a machine over all provider instances. */
export const MachineKey = Type.Object({ provider_instance: Type.String(), machine_id: Type.String() });
export type MachineKey = Static<typeof MachineKey>;

/** An announcement of a source: a warning, planned work, a recommendation, or an observation of the provider. */
export const Announcement = Type.Object({
  /** ISO 8601: when the provider announced it. Absent for an observation. */
  at: Type.Optional(Type.String()),
  /** ISO 8601. null: the source withdrew the reclaim. Absent for a recommendation. */
  reclaim_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  message: Type.Optional(Type.String()),
});
export type Announcement = Static<typeof Announcement>;

/**
 * A machine that a provider started for an attempt. Times of muster are epoch milliseconds; `launched_at`,
 * `reclaim_at` and `rebalance_at` are ISO 8601 times of the provider.
 */
export const MachineRecord = Type.Object({
  provider_instance: Type.String(),
  machine_id: Type.String(),
  request_id: Type.String(),
  attempt: Type.Integer(),
  template_id: Type.String(),
  status: Type.Unsafe<MachineStatus>(MachineStatus),
  name: Type.Optional(Type.String()),
  /** The name of the request that the machine has. Set when it is first seen, and never changed. */
  assigned_name: Type.Optional(Type.String()),
  private_ip: Type.Optional(Type.String()),
  public_ip: Type.Optional(Type.String()),
  launched_at: Type.Optional(Type.String()),
  reclaim_at: Type.Optional(Type.String()),
  /** What each source announced last about an end of the machine. `reclaim_at` and `rebalance_at` follow from it. */
  announced: Type.Optional(Type.Record(Type.String(), Announcement)),
  /** When the provider recommended to replace the machine, because it may be reclaimed. ISO 8601. */
  rebalance_at: Type.Optional(Type.String()),
  /**
   * Since when a replacement of the machine is sought, once it is ready. Absent: none is sought, or no longer.
   */
  replace_from: Type.Optional(Type.Integer()),
  /** The machine that took the place of this one in the request. */
  replaced_by: Type.Optional(MachineKey),
  /** When muster releases a replaced machine that nobody returned until then. */
  release_at: Type.Optional(Type.Integer()),
  /** The machine was ordered to take the place of this one. Until it does, it is not one of those of the request. */
  replaces: Type.Optional(MachineKey),
  /** When the machine took the place of the one that it replaces. */
  took_over_at: Type.Optional(Type.Integer()),
  message: Type.Optional(Type.String()),
  machine_type: Type.Optional(Type.String()),
  market: Type.Optional(Type.Unsafe<Market>(Type.Enum([...markets]))),
  /** The number of vCPUs of its type. Absent: not known. */
  vcpus: Type.Optional(Type.Number()),
  /**
   * From when on this record counts the use of the machine: from its launch, by the clock of the request, or from a
   * midnight when the days before are in the sums of use already. Absent: from `created_at`.
   */
  used_from: Type.Optional(Type.Integer()),
  /** When the use of the machine ended, as the provider dates it, by the clock of the request. Absent: not known. */
  used_until: Type.Optional(Type.Integer()),
  /** As in the request. */
  usage_tags: Type.Optional(UsageTags),
  /** The first price that the provider reported. Absent: not known. */
  price: Type.Optional(Price),
  /** The zone of the machine, in the provider's spelling. */
  zone: Type.Optional(Type.String()),
  /** Data of the provider API. Returned to the API; the core never reads it. */
  data: Type.Optional(Type.Unsafe<object>(Type.Object({}))),
  /** When muster first received a report of the machine. */
  created_at: Type.Integer(),
  /** When the machine was first usable by the caller. Set once. */
  ready_at: Type.Optional(Type.Integer()),
  /** Why the machine shall go. Never cleared. */
  going: Type.Optional(Type.Unsafe<GoingReason>(Type.Enum([...goingReasons]))),
  /** When the provider accepted the release of the machine. */
  released_at: Type.Optional(Type.Integer()),
  /** When muster learned that the machine no longer exists. */
  gone_at: Type.Optional(Type.Integer()),
  /** The machine ended without a release by muster: the cloud reclaimed it, or another party terminated it. */
  lost: Type.Optional(Type.Boolean()),
  /** The first return request that took the machine back. */
  return_id: Type.Optional(Type.String()),
  /**
   * A caller returned the machine while it counted as gone. If the machine appears again, it is released. If its place
   * was vacant then, `going` is `returned`: no other machine takes the place.
   */
  given_up: Type.Optional(Type.Boolean()),
  /** The lease with which the machine became ready, in seconds. Absent: it has none. */
  lease_s: Type.Optional(Type.Integer()),
  /** When the lease ends. Extensions add to it; a replacement inherits it. */
  expires_at: Type.Optional(Type.Integer()),
  /** The journal told that the lease ends soon. */
  expiry_told: Type.Optional(Type.Boolean()),
  /** The signals of extensions that `expires_at` contains, and that may not be marked as applied yet. */
  extended_by: Type.Optional(Type.Array(Type.String())),
  /** When the broker returned the machine because its lease ended. */
  expired_at: Type.Optional(Type.Integer()),
  /** Until when neither a caller nor the end of the lease returns the machine. */
  held_until: Type.Optional(Type.Integer()),
  /** Why a caller holds the machine. */
  hold_reason: Type.Optional(Type.String()),
  /** The `terms` of the last hold, so that an earlier one that is applied again changes nothing. */
  hold_terms: Type.Optional(Type.Integer()),
  /**
   * The part of `shifted_ms` of the request that was already added to the times of the machine: its creation time until
   * it is ready, `missing_since`, and the times of its replacement, lease and hold.
   */
  shifted_ms: Type.Optional(Type.Integer()),
  /** The reclaim that the journal told last, as ISO time: neither its notice nor its observation tells it again. */
  reclaim_told: Type.Optional(Type.String()),
  /** Since when the provider has not listed the machine, although it lists others. */
  missing_since: Type.Optional(Type.Integer()),
});
export type MachineRecord = Static<typeof MachineRecord>;

/** The key of a machine in maps. */
export const machineKey = (machine: MachineKey): string => `${machine.provider_instance}\u0000${machine.machine_id}`;

/**
 * The message about a machine that callers see. Undefined for a machine that ends because it was returned or
 * cancelled: the cloud describes this expected end as an error.
 */
export function machineMessage(machine: MachineRecord): string | undefined {
  const { message, going, lost, status, replaced_by, expired_at } = machine;
  if (expired_at !== undefined && lost !== true) return 'Its lease ended.';
  if (replaced_by !== undefined && lost !== true && going !== 'returned')
    return `Machine ${replaced_by.machine_id} replaces it.`;
  const expected = (going === 'returned' || going === 'cancelled') && lost !== true;
  return expected && (status === 'shutting-down' || status === 'terminated') ? undefined : message;
}
