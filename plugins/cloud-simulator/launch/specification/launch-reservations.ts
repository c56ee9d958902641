import { AwsError, invalidCombination } from '../../wire/errors.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { oneOf } from '../../wire/values.ts';

/**
 * The capacity reservation that a launch may or must use. Reservations are not simulated: the parameters are only
 * checked and shown.
 */
export interface Reservations {
  readonly preference: string | undefined;
  readonly id: string | undefined;
  readonly groupArn: string | undefined;
}

/** Reads `CapacityReservationSpecification`. */
export function readReservations(given: Params | undefined): Reservations | undefined {
  if (given === undefined) return undefined;
  const preference = oneOf(given, 'CapacityReservationPreference', ['open', 'none', 'capacity-reservations-only']);
  const target = part(given, 'CapacityReservationTarget');
  const id = text(target, 'CapacityReservationId');
  const groupArn = text(target, 'CapacityReservationResourceGroupArn');
  if (target !== undefined && preference !== undefined)
    throw invalidCombination(
      'CapacityReservationPreference and CapacityReservationTarget may not be specified together.',
    );
  if (id !== undefined && groupArn !== undefined)
    throw invalidCombination('Only one of a capacity reservation and a resource group may be targeted.');
  if (id !== undefined && !/^cr-[0-9a-f]+$/.test(id))
    throw new AwsError('InvalidCapacityReservationId.Malformed', `Invalid id: "${id}" (expecting "cr-...")`);
  return { preference, id, groupArn };
}
