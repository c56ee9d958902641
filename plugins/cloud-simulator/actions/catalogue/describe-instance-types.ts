import { type CatalogueInstanceType, instanceTypes } from '../../catalogue.ts';
import type { Action } from '../../dispatch/action.ts';
import { offeredTypes } from '../../launch/requirements/instance-requirements.ts';
import { factsOf } from '../../type-facts.ts';
import { AwsError, invalidParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { instanceTypeXml, isFree, networkPerformance, usageClasses } from '../../wire/xml/instance-type-xml.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, nextTokenXml } from '../../wire/xml/xml.ts';

const maxNames = 100;

const fields: FilterFields<CatalogueInstanceType> = {
  'auto-recovery-supported': () => 'true',
  'bare-metal': (type) => String(factsOf(type).bareMetal),
  'burstable-performance-supported': (type) => String(factsOf(type).burstable),
  'current-generation': (type) => String(factsOf(type).current),
  'ebs-info.encryption-support': () => 'supported',
  'ebs-info.ebs-optimized-support': (type) => (factsOf(type).hypervisor === 'nitro' ? 'default' : 'supported'),
  'free-tier-eligible': (type) => String(isFree(type)),
  'hibernation-supported': () => 'false',
  hypervisor: (type) => factsOf(type).hypervisor,
  'instance-storage-supported': (type) => String(factsOf(type).localStorage !== undefined),
  'instance-type': (type) => type.instance_type,
  'memory-info.size-in-mib': (type) => String(type.memory_mib),
  'network-info.ena-support': (type) => (factsOf(type).hypervisor === 'nitro' ? 'required' : 'supported'),
  'network-info.network-performance': networkPerformance,
  'processor-info.supported-architecture': (type) => type.arch,
  'supported-root-device-type': () => 'ebs',
  'supported-usage-class': usageClasses,
  'supported-virtualization-type': () => 'hvm',
  'vcpu-info.default-cores': (type) => String(type.cores),
  'vcpu-info.default-threads-per-core': (type) => String(type.vcpus / type.cores),
  'vcpu-info.default-vcpus': (type) => String(type.vcpus),
};

/** Shows the instance types that the region offers, from the catalogue. */
export const describeInstanceTypes: Action = {
  name: 'DescribeInstanceTypes',
  mutating: false,
  handle(call) {
    const page = pageRequest(call, { min: 5, max: 100, notWith: 'InstanceType' });
    const filters = readFilters(call.params, fields, false);
    const names = texts(call.params, 'InstanceType');
    if (names.length > maxNames) throw invalidParameter(`You can name at most ${maxNames} instance types.`);
    const offered = offeredTypes(call.state);
    const named = names.map((name) => instanceTypes.get(name));
    const missing = names.filter((_, index) => !offered.includes(named[index] as CatalogueInstanceType));
    if (missing.length > 0)
      throw new AwsError(
        'InvalidInstanceType',
        `The following supplied instance types do not exist: [${missing.join(', ')}]`,
      );
    const types = names.length > 0 ? (named as readonly CatalogueInstanceType[]) : offered;
    const { entries, next } = pageOf(
      types.filter((type) => passes(type, filters, fields)),
      page,
    );
    return itemSet('instanceTypeSet', entries, instanceTypeXml) + nextTokenXml(next);
  },
};
