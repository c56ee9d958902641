import type { ActionCall } from '../../dispatch/action.ts';
import type { Instance } from '../../state/instances/instance.ts';
import { unavailable, zonesOut } from '../../state/outages.ts';
import type { Filter } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';

/** Filters that identify machines, in contrast to filters that describe them. */
const pinning = new Set([
  'availability-zone-id',
  'client-token',
  'instance-id',
  'network-interface.subnet-id',
  'private-dns-name',
  'private-ip-address',
  'reservation-id',
  'spot-instance-request-id',
  'subnet-id',
  'tag-key',
]);

/**
 * Throws Unavailable if a zone that is out of service makes the answer incomplete. A call that names the zone, or
 * that could include its machines because it identifies none, is refused immediately. Otherwise the returned guard
 * throws when it meets a machine of the zone in the answer.
 */
export function zoneGuard(call: ActionCall, filters: readonly Filter[]): (instance: Instance) => void {
  const out = zonesOut(call);
  if (out.length === 0) return () => {};
  const zones = filters.find((filter) => filter.name === 'availability-zone');
  const named = zones === undefined ? undefined : out.find((zone) => zones.matches(zone));
  if (named !== undefined) throw unavailable(named);
  const pinned =
    zones !== undefined || texts(call.params, 'InstanceId').length > 0 || filters.some(({ name }) => isPinning(name));
  if (!pinned) throw unavailable(out[0] as string);
  return (instance) => {
    if (out.includes(instance.zone)) throw unavailable(instance.zone);
  };
}

function isPinning(name: string): boolean {
  return pinning.has(name) || name.startsWith('tag:');
}
