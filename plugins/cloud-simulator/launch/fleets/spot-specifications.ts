import { invalidParameter } from '../../wire/errors.ts';
import { type Params, parts, text } from '../../wire/form.ts';
import { poolOver } from './fleet-pools.ts';
import type { FleetPool } from '../../state/fleets/fleet-pool.ts';

const maxSpecifications = 300;

// Parameters that determine the place and the price of a launch. They are read as an override of the rest.
const overriding = ['InstanceType', 'InstanceRequirements', 'SubnetId', 'Placement', 'WeightedCapacity', 'SpotPrice'];

/** Reads `LaunchSpecifications`: one pool for each. */
export function readSpecificationPools(specifications: readonly Params[], maxPrice: number | undefined): FleetPool[] {
  if (specifications.length > maxSpecifications)
    throw invalidParameter(`A Spot fleet can have at most ${maxSpecifications} launch specifications.`);
  return specifications.map((specification) => {
    const override = Object.fromEntries(Object.entries(specification).filter(([name]) => overriding.includes(name)));
    return poolOver(override, launchData(specification), undefined, { instant: false, maxPrice }, '');
  });
}

/** A launch specification with the parameter names of RunInstances. */
function launchData(specification: Params): Params {
  const { NetworkInterfaceSet: interfaces, GroupSet: _groups, TagSpecificationSet: tags, ...rest } = specification;
  const groups = parts(specification, 'GroupSet');
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !overriding.includes(name))),
    ...(interfaces === undefined ? {} : { NetworkInterface: interfaces }),
    ...(tags === undefined ? {} : { TagSpecification: tags }),
    ...list(
      'SecurityGroupId',
      groups.flatMap((group) => text(group, 'GroupId') ?? []),
    ),
    ...list(
      'SecurityGroup',
      groups.flatMap((group) => (text(group, 'GroupId') === undefined ? (text(group, 'GroupName') ?? []) : [])),
    ),
  };
}

function list(name: string, values: readonly string[]): Params {
  return values.length === 0 ? {} : { [name]: Object.fromEntries(values.map((value, index) => [index + 1, value])) };
}
