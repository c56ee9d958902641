import { Type, type Static } from 'typebox';
import { markets, type Market } from './market.ts';

/** The states of a machine. `failed` is muster's own: it never became usable, or was lost. */
export const machineStatuses = ['pending', 'running', 'shutting-down', 'stopping', 'stopped', 'terminated', 'failed'] as const;
export const MachineStatus = Type.Enum([...machineStatuses]);
export type MachineStatus = (typeof machineStatuses)[number];

/** Why a machine is wanted gone. `surplus`: more came than are wanted. `late`: it came after the end. `failed`: it never became usable. */
export const goingReasons = ['returned', 'cancelled', 'failed', 'surplus', 'late'] as const;
export type GoingReason = (typeof goingReasons)[number];

/** Which machine: unique over all provider instances. */
export const MachineKey = Type.Object({ provider_instance: Type.String(), machine_id: Type.String() });
export type MachineKey = Static<typeof MachineKey>;

/** A machine that a provider started for an attempt. Times made by muster are epoch milliseconds; `launched_at` and `reclaim_at` are the provider's ISO 8601. */
export const MachineRecord = Type.Object({
  provider_instance: Type.String(),
  machine_id: Type.String(),
  request_id: Type.String(),
  attempt: Type.Integer(),
  template_id: Type.String(),
  status: Type.Unsafe<MachineStatus>(MachineStatus),
  name: Type.Optional(Type.String()),
  private_ip: Type.Optional(Type.String()),
  public_ip: Type.Optional(Type.String()),
  launched_at: Type.Optional(Type.String()),
  reclaim_at: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  machine_type: Type.Optional(Type.String()),
  market: Type.Optional(Type.Unsafe<Market>(Type.Enum([...markets]))),
  /** Where it runs, in the provider's own spelling. */
  zone: Type.Optional(Type.String()),
  /** What the provider API keeps with the machine; handed back to it, never looked into. */
  data: Type.Optional(Type.Unsafe<object>(Type.Object({}))),
  /** When muster first heard of it. */
  created_at: Type.Integer(),
  /** Set once, when it was first usable by the caller. */
  ready_at: Type.Optional(Type.Integer()),
  /** Set when it is wanted gone; never unset. */
  going: Type.Optional(Type.Unsafe<GoingReason>(Type.Enum([...goingReasons]))),
  /** The provider accepted its release. */
  released_at: Type.Optional(Type.Integer()),
  /** It exists no more. */
  gone_at: Type.Optional(Type.Integer()),
  /** It went without being asked to: reclaimed, or killed from outside. */
  lost: Type.Optional(Type.Boolean()),
  /** The return request that took it back first. */
  return_id: Type.Optional(Type.String()),
  /** A caller gave it back while it counted as gone: should it turn up again, it goes. */
  given_up: Type.Optional(Type.Boolean()),
  /** Of `moved_ms` of its request, by how much the times were moved that it is judged by: its age until it is ready, and `missing_since`. */
  moved_ms: Type.Optional(Type.Integer()),
  /** Since when the provider does not list it, though it lists others. */
  missing_since: Type.Optional(Type.Integer()),
});
export type MachineRecord = Static<typeof MachineRecord>;

/** The string by which a machine is looked up in maps. */
export const machineKey = (machine: MachineKey): string => `${machine.provider_instance}\u0000${machine.machine_id}`;

/**
 * What is to be said of a machine. Of one that goes, or is gone, because it was given back or cancelled that is
 * nothing: the cloud calls that an error.
 */
export function saidOf({ message, going, lost, status }: MachineRecord): string | undefined {
  const asAsked = (going === 'returned' || going === 'cancelled') && lost !== true;
  return asAsked && (status === 'shutting-down' || status === 'terminated') ? undefined : message;
}
