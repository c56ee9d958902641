import { type CatalogueInstanceType, familyOf, instanceTypes } from '../../catalogue.ts';
import type { Action } from '../../action.ts';
import { zoneHas } from '../../capacity.ts';
import { AwsError, invalidParameter } from '../../wire/errors.ts';
import { type FilterFields, passes, readFilters } from '../../wire/filters.ts';
import { texts } from '../../wire/form.ts';
import { pageOf, pageRequest } from '../../wire/pages.ts';
import { itemSet, leaf, nextTokenXml, node } from '../../wire/xml.ts';

const maxNames = 100;

const fields: FilterFields<CatalogueInstanceType> = {
  'bare-metal': () => 'false',
  'burstable-performance-supported': (type) => String(isBurstable(type)),
  'current-generation': (type) => String(isCurrent(type)),
  'instance-type': (type) => type.instance_type,
  'memory-info.size-in-mib': (type) => String(type.memory_mib),
  'processor-info.supported-architecture': (type) => type.arch,
  'supported-usage-class': () => ['on-demand', 'spot'],
  'vcpu-info.default-cores': (type) => String(type.cores),
  'vcpu-info.default-vcpus': (type) => String(type.vcpus),
};

/** Shows the instance types that the region offers, from the catalogue. */
export const describeInstanceTypes: Action = {
  name: 'DescribeInstanceTypes',
  mutating: false,
  handle(call) {
    const page = pageRequest(call.params, { min: 5, max: 100, notWith: 'InstanceType' });
    const filters = readFilters(call.params, fields, false);
    const names = texts(call.params, 'InstanceType');
    if (names.length > maxNames) throw invalidParameter(`You can name at most ${maxNames} instance types.`);
    const offered = (type: CatalogueInstanceType) => call.state.network.zones.some((zone) => zoneHas(call.state, zone, type.instance_type));
    const missing = names.filter((name) => {
      const type = instanceTypes.get(name);
      return type === undefined || !offered(type);
    });
    if (missing.length > 0)
      throw new AwsError('InvalidInstanceType', `The following supplied instance types do not exist: [${missing.join(', ')}]`);
    const types =
      names.length > 0
        ? names.map((name) => instanceTypes.get(name) as CatalogueInstanceType)
        : [...instanceTypes.values()].filter(offered);
    const { entries, next } = pageOf(
      types.filter((type) => passes(type, filters, fields)),
      page,
    );
    return itemSet('instanceTypeSet', entries, typeXml) + nextTokenXml(next);
  },
};

function isBurstable(type: CatalogueInstanceType): boolean {
  return type.instance_type.startsWith('t');
}

function isCurrent(type: CatalogueInstanceType): boolean {
  return !['m3', 'm4', 'c4', 'r4', 'p2', 'x1', 'x1e', 'i3'].includes(familyOf(type.instance_type));
}

function typeXml(type: CatalogueInstanceType): string {
  const gpus = `<gpus><item>${leaf('count', type.gpus)}</item></gpus>`;
  return (
    leaf('instanceType', type.instance_type) +
    leaf('currentGeneration', isCurrent(type)) +
    '<supportedUsageClasses><item>on-demand</item><item>spot</item></supportedUsageClasses>' +
    '<supportedRootDeviceTypes><item>ebs</item></supportedRootDeviceTypes><supportedVirtualizationTypes><item>hvm</item></supportedVirtualizationTypes>' +
    leaf('bareMetal', false) +
    leaf('hypervisor', 'nitro') +
    node('processorInfo', `<supportedArchitectures><item>${type.arch}</item></supportedArchitectures>`) +
    node(
      'vCpuInfo',
      leaf('defaultVCpus', type.vcpus) + leaf('defaultCores', type.cores) + leaf('defaultThreadsPerCore', type.vcpus / type.cores),
    ) +
    node('memoryInfo', leaf('sizeInMiB', type.memory_mib)) +
    leaf('instanceStorageSupported', false) +
    (type.gpus > 0 ? node('gpuInfo', gpus) : '') +
    leaf('burstablePerformanceSupported', isBurstable(type))
  );
}
