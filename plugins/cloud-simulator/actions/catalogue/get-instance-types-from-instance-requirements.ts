import type { Action } from '../../dispatch/action.ts';
import { matchesRequirements, offeredTypes } from '../../launch/requirements/instance-requirements.ts';
import { readRequirements } from '../../launch/requirements/read-requirements.ts';
import { invalidParameter, missingParameter } from '../../wire/errors.ts';
import { part, texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml } from '../../wire/xml/xml.ts';

const architectures = ['x86_64', 'arm64', 'i386', 'x86_64_mac', 'arm64_mac'];
const virtualizations = ['hvm', 'paravirtual'];

/** Shows the instance types that attributes select in this region. As in AWS, price protection does not apply here. */
export const getInstanceTypesFromInstanceRequirements: Action = {
  name: 'GetInstanceTypesFromInstanceRequirements',
  mutating: false,
  handle(call) {
    const { params, state } = call;
    const page = pageRequest(call, { min: 1, max: 1000 });
    const archs = words(texts(params, 'ArchitectureType'), architectures, 'ArchitectureType');
    const virtual = words(texts(params, 'VirtualizationType'), virtualizations, 'VirtualizationType');
    const requirements = part(params, 'InstanceRequirements');
    if (requirements === undefined) throw missingParameter('InstanceRequirements');
    const wanted = readRequirements(requirements);
    const types = offeredTypes(state).filter(
      (type) => virtual.includes('hvm') && archs.includes(type.arch) && matchesRequirements(type, wanted),
    );
    const { entries, next } = pageOf(types, page);
    return (
      itemSet('instanceTypeSet', entries, (type) => leaf('instanceType', type.instance_type)) + nextTokenXml(next)
    );
  },
};

function words(given: readonly string[], known: readonly string[], name: string): readonly string[] {
  if (given.length === 0) throw missingParameter(name);
  const wrong = given.find((word) => !known.includes(word));
  if (wrong !== undefined) throw invalidParameter(`Value (${wrong}) for parameter ${name} is invalid.`);
  return given;
}
