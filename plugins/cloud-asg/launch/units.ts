import type { Instance } from '@aws-sdk/client-auto-scaling';
import type { MachineRef } from '../../../core/index.ts';
import type { GroupHandle } from '../group-handle.ts';

/** Units of capacity that these members count as in their group. */
export const unitsOf = (handle: GroupHandle, members: readonly Instance[]): number =>
  members.reduce((sum, { WeightedCapacity }) => sum + Number(WeightedCapacity ?? handle.unit), 0);

/**
 * The size of a group that keeps some machines and may still get others. The result does not depend on the current
 * size of the group.
 */
export function sizeFor(
  handle: GroupHandle,
  stay: readonly MachineRef[],
  incoming: number,
  members: readonly Instance[],
): number {
  const weights = new Map(members.map((member) => [member.InstanceId, member.WeightedCapacity]));
  const units = stay.reduce((sum, machine) => {
    const kept = (machine.data as { readonly weight?: number } | undefined)?.weight;
    return sum + (handle.weighted ? Number(weights.get(machine.machine_id) ?? kept ?? handle.unit) : 1);
  }, 0);
  return units + incoming * handle.unit;
}
