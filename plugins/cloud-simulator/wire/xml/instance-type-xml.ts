import type { CatalogueInstanceType } from '../../catalogue.ts';
import { type TypeFacts, factsOf } from '../../type-facts.ts';
import { itemSet, leaf, node } from './xml.ts';

const free = new Set(['t2.micro', 't3.micro', 't3.small', 't4g.micro', 't4g.small']);

/** The members of one type as DescribeInstanceTypes shows them. */
export function instanceTypeXml(type: CatalogueInstanceType): string {
  const facts = factsOf(type);
  const nitro = facts.hypervisor === 'nitro';
  return [
    leaf('instanceType', type.instance_type),
    leaf('currentGeneration', facts.current),
    leaf('freeTierEligible', isFree(type)),
    words('supportedUsageClasses', usageClasses(type)),
    words('supportedRootDeviceTypes', ['ebs']),
    words('supportedVirtualizationTypes', ['hvm']),
    leaf('bareMetal', facts.bareMetal),
    leaf('hypervisor', facts.hypervisor),
    processorXml(type, facts),
    node('memoryInfo', leaf('sizeInMiB', type.memory_mib)),
    leaf('instanceStorageSupported', facts.localStorage !== undefined),
    storageXml(type, facts),
    node(
      'ebsInfo',
      leaf('ebsOptimizedSupport', nitro ? 'default' : 'supported') +
        leaf('encryptionSupport', 'supported') +
        leaf('nvmeSupport', nitro ? 'required' : 'unsupported'),
    ),
    networkXml(type, facts),
    gpuXml(type, facts),
    node('placementGroupInfo', words('supportedStrategies', ['cluster', 'partition', 'spread'])),
    leaf('hibernationSupported', false),
    leaf('burstablePerformanceSupported', facts.burstable),
    leaf('dedicatedHostsSupported', !facts.burstable),
    leaf('autoRecoverySupported', true),
  ].join('');
}

export function isFree(type: CatalogueInstanceType): boolean {
  return free.has(type.instance_type);
}

export function usageClasses(type: CatalogueInstanceType): string[] {
  const { spot, capacityBlocks } = factsOf(type);
  return ['on-demand', ...(spot ? ['spot'] : []), ...(capacityBlocks ? ['capacity-block'] : [])];
}

/** Network performance as AWS words it: typical for the size, because the catalogue does not list it. */
export function networkPerformance(type: CatalogueInstanceType): string {
  if (/^(p4|p5|hpc)/.test(type.instance_type)) return '100 Gigabit';
  if (factsOf(type).burstable) return 'Up to 5 Gigabit';
  if (type.vcpus <= 16) return 'Up to 10 Gigabit';
  return type.vcpus <= 48 ? '12 Gigabit' : '25 Gigabit';
}

function processorXml(type: CatalogueInstanceType, { cpu }: TypeFacts): string {
  const maker = { intel: 'Intel', amd: 'AMD', 'amazon-web-services': 'AWS', apple: 'Apple' }[cpu];
  return (
    node('processorInfo', words('supportedArchitectures', [type.arch]) + leaf('manufacturer', maker)) +
    node(
      'vCpuInfo',
      leaf('defaultVCpus', type.vcpus) +
        leaf('defaultCores', type.cores) +
        leaf('defaultThreadsPerCore', type.vcpus / type.cores),
    )
  );
}

// The catalogue has no disk sizes; the size is that of most families per vCPU.
const gbPerVcpu = 37.5;

/** Size of the only local disk of a type that has one. */
export function diskGb(type: CatalogueInstanceType): number {
  return Math.round(type.vcpus * gbPerVcpu);
}

function storageXml(type: CatalogueInstanceType, { localStorage }: TypeFacts): string {
  if (localStorage === undefined) return '';
  const total = diskGb(type);
  const disks = itemSet(
    'disks',
    [total],
    (size) => leaf('sizeInGB', size) + leaf('count', 1) + leaf('type', localStorage),
  );
  return node('instanceStorageInfo', leaf('totalSizeInGB', total) + disks + leaf('nvmeSupport', 'required'));
}

/** Network interfaces that a machine of a type can have. */
export function maxInterfaces(type: CatalogueInstanceType): number {
  return type.vcpus <= 2 ? 3 : type.vcpus <= 8 ? 4 : type.vcpus <= 48 ? 8 : 15;
}

/** Private addresses that an interface of a type can have: as many IPv4 as IPv6 addresses. */
export function maxAddresses(type: CatalogueInstanceType): number {
  return maxInterfaces(type) * 4 - 2;
}

function networkXml(type: CatalogueInstanceType, { hypervisor, efaCards }: TypeFacts): string {
  const interfaces = maxInterfaces(type);
  return node(
    'networkInfo',
    leaf('networkPerformance', networkPerformance(type)) +
      leaf('maximumNetworkInterfaces', interfaces) +
      leaf('maximumNetworkCards', Math.max(1, efaCards)) +
      leaf('defaultNetworkCardIndex', 0) +
      leaf('ipv4AddressesPerInterface', maxAddresses(type)) +
      leaf('ipv6AddressesPerInterface', maxAddresses(type)) +
      leaf('ipv6Supported', true) +
      leaf('enaSupport', hypervisor === 'nitro' ? 'required' : 'supported') +
      leaf('efaSupported', efaCards > 0) +
      (efaCards === 0 ? '' : node('efaInfo', leaf('maximumEfaInterfaces', efaCards))),
  );
}

function gpuXml(type: CatalogueInstanceType, { accelerator }: TypeFacts): string {
  if (accelerator === undefined) return '';
  const gpus = itemSet(
    'gpus',
    [accelerator],
    ({ label, memoryMib }) =>
      leaf('name', label) +
      leaf('manufacturer', 'NVIDIA') +
      leaf('count', type.gpus) +
      node('memoryInfo', leaf('sizeInMiB', memoryMib)),
  );
  return node('gpuInfo', gpus + leaf('totalGpuMemoryInMiB', type.gpus * accelerator.memoryMib));
}

function words(name: string, list: readonly string[]): string {
  return itemSet(name, list, (word) => word);
}
