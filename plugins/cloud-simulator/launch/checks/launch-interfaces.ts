import type { CatalogueInstanceType } from '../../catalogue.ts';
import { factsOf } from '../../type-facts.ts';
import { invalidCombination, invalidParameter } from '../../wire/errors.ts';
import { type Params, text } from '../../wire/form.ts';
import { integer, oneOf } from '../../wire/values.ts';
import type { LaunchInterface } from '../specification/launch-spec.ts';

const usual: readonly LaunchInterface[] = [{ type: 'interface', device: 0, card: 0 }];

/**
 * The network interfaces of a launch; one if it names none. Refuses EFA on types without it, network cards that the
 * type does not have, and interfaces of which only some name a subnet: the others would be in the default subnet.
 */
export function readInterfaces(given: readonly Params[], type: CatalogueInstanceType): readonly LaunchInterface[] {
  if (given.length === 0) return usual;
  const created = given.filter((one) => one['NetworkInterfaceId'] === undefined);
  const placed = created.filter((one) => text(one, 'SubnetId') !== undefined);
  if (placed.length > 0 && placed.length < created.length)
    throw invalidCombination('Each network interface must specify a subnet when one of them specifies a subnet.');
  const { efaCards } = factsOf(type);
  return given.map((one) => {
    const kind = oneOf(one, 'InterfaceType', ['interface', 'efa', 'efa-only']) ?? 'interface';
    const card = integer(one, 'NetworkCardIndex') ?? 0;
    if (kind !== 'interface' && efaCards === 0)
      throw invalidCombination(`EFA interfaces are not supported on ${type.instance_type}.`);
    if (card < 0 || card >= Math.max(1, efaCards))
      throw invalidParameter(
        `Value (${card}) for parameter networkCardIndex is invalid. ${type.instance_type} has ${Math.max(1, efaCards)} network card(s).`,
      );
    return { type: kind, device: integer(one, 'DeviceIndex') ?? 0, card };
  });
}
