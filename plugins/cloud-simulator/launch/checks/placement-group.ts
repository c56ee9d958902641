import type { CallContext } from '../../state/call-context.ts';
import { AwsError } from '../../wire/errors.ts';
import type { LaunchOptions } from '../specification/launch-options.ts';

/** Throws if the placement group of a launch does not exist. */
export function checkPlacementGroup({ knobs }: CallContext, { placementGroup }: LaunchOptions): void {
  const named = placementGroup?.name ?? placementGroup?.id;
  if (named === undefined) return;
  const exists = knobs.placement_groups?.includes(named) ?? !knobs.strict_ids;
  if (!exists) throw new AwsError('InvalidPlacementGroup.Unknown', `The Placement Group '${named}' is unknown.`);
}
