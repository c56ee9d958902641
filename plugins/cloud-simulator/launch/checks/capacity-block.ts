import type { CapacityBlock } from '../../knobs/launch-knobs.ts';
import type { CallContext } from '../../state/call-context.ts';
import { factsOf } from '../../type-facts.ts';
import { AwsError, invalidCombination, invalidParameter } from '../../wire/errors.ts';
import type { LaunchSpec } from '../specification/launch-spec.ts';

/** The capacity block of a launch that the knob `capacity_blocks` lists; undefined if the launch uses none of them. */
export function blockOf({ knobs }: Pick<CallContext, 'knobs'>, spec: LaunchSpec): CapacityBlock | undefined {
  if (spec.market !== 'capacity-block') return undefined;
  return knobs.capacity_blocks.find(({ id }) => id === spec.options.reservations?.id);
}

/**
 * Throws if a launch does not fit the capacity block that it names: its market, its type, its zone. Without listed
 * blocks and `strict_ids` every well-formed id is that of a block without a limit.
 */
export function checkCapacityBlock(context: CallContext, spec: LaunchSpec): void {
  const { id, groupArn } = spec.options.reservations ?? {};
  const { knobs } = context;
  const listed = knobs.capacity_blocks.find((block) => block.id === id);
  if (spec.market !== 'capacity-block') {
    if (listed !== undefined)
      throw invalidCombination(`The Capacity Block '${id}' can only be used with MarketType capacity-block.`);
    return;
  }
  const type = spec.type.instance_type;
  if (!factsOf(spec.type).capacityBlocks)
    throw new AwsError('UnsupportedOperation', `The instance type ${type} is not supported with Capacity Blocks.`);
  if (id === undefined && groupArn === undefined)
    throw invalidCombination('MarketType capacity-block requires a CapacityReservationTarget.');
  if (id === undefined) return;
  if (listed === undefined && (knobs.strict_ids || knobs.capacity_blocks.length > 0))
    throw new AwsError('InvalidCapacityReservationId.NotFound', `The capacity reservation '${id}' does not exist.`);
  if (listed === undefined) return;
  if (listed.instance_type !== type)
    throw invalidParameter(`The Capacity Block '${id}' is for ${listed.instance_type}, not for ${type}.`);
  const { zone } = spec.network;
  if (zone !== undefined && zone !== listed.zone)
    throw invalidParameter(`The Capacity Block '${id}' is in the Availability Zone ${listed.zone}, not in ${zone}.`);
}

/** The error when a capacity block has no place left. */
export function blockExceeded({ id }: CapacityBlock): AwsError {
  return new AwsError(
    'ReservationCapacityExceeded',
    `The capacity reservation '${id}' does not have enough available capacity for the request.`,
  );
}
