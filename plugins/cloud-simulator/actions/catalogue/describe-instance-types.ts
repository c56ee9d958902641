import { type CatalogueInstanceType, instanceType, usualType } from '../../catalogue.ts';
import type { Action } from '../../dispatch/action.ts';
import { offeredTypes } from '../../launch/requirements/instance-requirements.ts';
import { factsOf } from '../../type-facts.ts';
import { AwsError, invalidParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters, withoutValue } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import {
  diskGb,
  instanceTypeXml,
  isFree,
  maxAddresses,
  maxInterfaces,
  networkPerformance,
  usageClasses,
} from '../../wire/xml/instance-type-xml.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, nextTokenXml } from '../../wire/xml/xml.ts';

const maxNames = 100;

const onNitro = (type: CatalogueInstanceType) => factsOf(type).hypervisor === 'nitro';
const upTo = (most: number) => Array.from({ length: most }, (_, index) => String(index + 1));
const onDisk =
  (value: (type: CatalogueInstanceType) => string | undefined) =>
  (type: CatalogueInstanceType): string | undefined =>
    factsOf(type).localStorage === undefined ? undefined : value(type);

const fields: FilterFields<CatalogueInstanceType> = {
  // The catalogue does not list these facts.
  ...withoutValue(
    'ebs-info.attachment-limit-type',
    'ebs-info.ebs-optimized-info.baseline-bandwidth-in-mbps',
    'ebs-info.ebs-optimized-info.baseline-iops',
    'ebs-info.ebs-optimized-info.baseline-throughput-in-mbps',
    'ebs-info.ebs-optimized-info.maximum-bandwidth-in-mbps',
    'ebs-info.ebs-optimized-info.maximum-iops',
    'ebs-info.ebs-optimized-info.maximum-throughput-in-mbps',
    'ebs-info.maximum-ebs-attachments',
    'network-info.bandwidth-weightings',
    'network-info.flexible-ena-queues-support',
    'nitro-tpm-info.supported-versions',
    'processor-info.supported-features',
    'processor-info.sustained-clock-speed-in-ghz',
    'reboot-migration-support',
  ),
  'auto-recovery-supported': () => 'true',
  'bare-metal': (type) => String(factsOf(type).bareMetal),
  'burstable-performance-supported': (type) => String(factsOf(type).burstable),
  'current-generation': (type) => String(factsOf(type).current),
  'dedicated-hosts-supported': (type) => String(!factsOf(type).burstable),
  'ebs-info.encryption-support': () => 'supported',
  'ebs-info.nvme-support': (type) => (onNitro(type) ? 'required' : 'unsupported'),
  'ebs-info.ebs-optimized-support': (type) => (factsOf(type).hypervisor === 'nitro' ? 'default' : 'supported'),
  'free-tier-eligible': (type) => String(isFree(type)),
  'hibernation-supported': () => 'false',
  hypervisor: (type) => factsOf(type).hypervisor,
  'instance-storage-info.disk.count': onDisk(() => '1'),
  'instance-storage-info.disk.size-in-gb': onDisk((type) => String(diskGb(type))),
  'instance-storage-info.disk.type': onDisk((type) => factsOf(type).localStorage),
  'instance-storage-info.encryption-support': onDisk((type) => (onNitro(type) ? 'required' : 'unsupported')),
  'instance-storage-info.nvme-support': onDisk(() => 'required'),
  'instance-storage-info.total-size-in-gb': onDisk((type) => String(diskGb(type))),
  'instance-storage-supported': (type) => String(factsOf(type).localStorage !== undefined),
  'instance-type': (type) => type.instance_type,
  'memory-info.size-in-mib': (type) => String(type.memory_mib),
  'network-info.efa-info.maximum-efa-interfaces': (type) =>
    factsOf(type).efaCards === 0 ? undefined : String(factsOf(type).efaCards),
  'network-info.efa-supported': (type) => String(factsOf(type).efaCards > 0),
  'network-info.encryption-in-transit-supported': (type) => String(onNitro(type)),
  'network-info.ipv4-addresses-per-interface': (type) => String(maxAddresses(type)),
  'network-info.ipv6-addresses-per-interface': (type) => String(maxAddresses(type)),
  'network-info.ipv6-supported': () => 'true',
  'network-info.maximum-network-cards': (type) => String(Math.max(1, factsOf(type).efaCards)),
  'network-info.maximum-network-interfaces': (type) => String(maxInterfaces(type)),
  'network-info.ena-support': (type) => (factsOf(type).hypervisor === 'nitro' ? 'required' : 'supported'),
  'network-info.network-performance': networkPerformance,
  'nitro-enclaves-support': (type) => (onNitro(type) && !factsOf(type).burstable ? 'supported' : 'unsupported'),
  'nitro-tpm-support': (type) => (onNitro(type) ? 'supported' : 'unsupported'),
  'processor-info.supported-architecture': (type) => type.arch,
  'supported-boot-mode': (type) => (onNitro(type) ? ['legacy-bios', 'uefi'] : 'legacy-bios'),
  'supported-root-device-type': () => 'ebs',
  'supported-usage-class': usageClasses,
  'supported-virtualization-type': () => 'hvm',
  'vcpu-info.default-cores': (type) => String(type.cores),
  'vcpu-info.default-threads-per-core': (type) => String(type.vcpus / type.cores),
  'vcpu-info.default-vcpus': (type) => String(type.vcpus),
  'vcpu-info.valid-cores': (type) => upTo(type.cores),
  'vcpu-info.valid-threads-per-core': (type) => upTo(type.vcpus / type.cores),
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
    const named = names.map(instanceType);
    const known = [...offered, usualType];
    const missing = names.filter((_, index) => !known.includes(named[index] as CatalogueInstanceType));
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
