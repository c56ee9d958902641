import { AwsError, invalidCombination, invalidParameter, missingParameter } from '../../wire/errors.ts';
import { type Params, part, texts } from '../../wire/form.ts';
import { decimal, flag, integer, oneOf } from '../../wire/values.ts';

export interface Range {
  readonly min: number;
  readonly max: number;
}

export type Presence = 'included' | 'required' | 'excluded';

/** Checked attributes of instance types. An empty list requires nothing. */
export interface Requirements {
  readonly vcpus: Range;
  readonly memoryMib: Range;
  readonly memoryGibPerVcpu: Range;
  readonly cpus: readonly string[];
  readonly generations: readonly string[];
  /** Patterns of names; at most one of the two is given. */
  readonly allowed: readonly RegExp[];
  readonly excluded: readonly RegExp[];
  readonly bareMetal: Presence;
  readonly burstable: Presence;
  readonly localStorage: Presence;
  readonly localStorageTypes: readonly string[];
  readonly accelerators: Range;
  readonly acceleratorMemoryMib: Range;
  readonly acceleratorTypes: readonly string[];
  readonly acceleratorManufacturers: readonly string[];
  readonly acceleratorNames: readonly string[];
  readonly price: PriceProtection;
}

/** Percentages; undefined = AWS's default. */
export interface PriceProtection {
  readonly onDemandOverLowest: number | undefined;
  readonly spotOverLowest: number | undefined;
  readonly spotOfOnDemand: number | undefined;
}

const words = {
  CpuManufacturer: ['intel', 'amd', 'amazon-web-services', 'apple'],
  InstanceGeneration: ['current', 'previous'],
  LocalStorageType: ['hdd', 'ssd'],
  AcceleratorType: ['gpu', 'fpga', 'inference', 'media'],
  AcceleratorManufacturer: ['amazon-web-services', 'amd', 'nvidia', 'xilinx', 'habana'],
  AcceleratorName: undefined,
  AllowedInstanceType: undefined,
  ExcludedInstanceType: undefined,
} as const;

const structures = [
  'VCpuCount',
  'MemoryMiB',
  'MemoryGiBPerVCpu',
  'AcceleratorCount',
  'AcceleratorTotalMemoryMiB',
  'BareMetal',
  'BurstablePerformance',
  'LocalStorage',
  'SpotMaxPricePercentageOverLowestPrice',
  'OnDemandMaxPricePercentageOverLowestPrice',
  'MaxSpotPriceAsPercentageOfOptimalOnDemandPrice',
];

/** Attributes that AWS supports and the catalogue lacks: their form is checked, and they have no effect. */
const withoutEffect = [
  'NetworkInterfaceCount',
  'TotalLocalStorageGB',
  'BaselineEbsBandwidthMbps',
  'NetworkBandwidthGbps',
  'BaselinePerformanceFactors',
  'RequireHibernateSupport',
  'RequireEncryptionInTransit',
];

// EC2 fleets number lists under the singular name, Spot fleets under `…Set`, groups under the plural and `member`.
const spellings = (name: string) => [name, `${name}Set`, `${name}s`];

const members = new Set([...Object.keys(words).flatMap(spellings), ...structures, ...withoutEffect]);

const maxPatterns = 400;

/**
 * Reads `InstanceRequirements` in the spelling of EC2 Fleets, Spot Fleets, launch templates or groups, and refuses
 * what AWS refuses.
 */
export function readRequirements(params: Params): Requirements {
  const unknown = Object.keys(params).find((name) => !members.has(name));
  if (unknown !== undefined)
    throw new AwsError('UnknownParameter', `The parameter InstanceRequirements.${unknown} is not recognized`);
  for (const name of [
    'NetworkInterfaceCount',
    'TotalLocalStorageGB',
    'BaselineEbsBandwidthMbps',
    'NetworkBandwidthGbps',
  ])
    range(params, name);
  flag(params, 'RequireHibernateSupport');
  flag(params, 'RequireEncryptionInTransit');
  for (const name of ['VCpuCount', 'MemoryMiB']) {
    if (part(params, name)?.['Min'] === undefined) throw missingParameter(`InstanceRequirements.${name}.Min`);
  }
  const allowed = patterns(params, 'AllowedInstanceType');
  const excluded = patterns(params, 'ExcludedInstanceType');
  if (allowed.length > 0 && excluded.length > 0)
    throw invalidCombination('AllowedInstanceTypes and ExcludedInstanceTypes may not be specified together.');
  return {
    vcpus: range(params, 'VCpuCount'),
    memoryMib: range(params, 'MemoryMiB'),
    memoryGibPerVcpu: range(params, 'MemoryGiBPerVCpu'),
    cpus: list(params, 'CpuManufacturer'),
    generations: list(params, 'InstanceGeneration'),
    allowed,
    excluded,
    bareMetal: presence(params, 'BareMetal', 'excluded'),
    burstable: presence(params, 'BurstablePerformance', 'excluded'),
    localStorage: presence(params, 'LocalStorage', 'included'),
    localStorageTypes: list(params, 'LocalStorageType'),
    accelerators: range(params, 'AcceleratorCount'),
    acceleratorMemoryMib: range(params, 'AcceleratorTotalMemoryMiB'),
    acceleratorTypes: list(params, 'AcceleratorType'),
    acceleratorManufacturers: list(params, 'AcceleratorManufacturer'),
    acceleratorNames: list(params, 'AcceleratorName'),
    price: readPriceProtection(params),
  };
}

function readPriceProtection(params: Params): PriceProtection {
  const price = {
    onDemandOverLowest: percentage(params, 'OnDemandMaxPricePercentageOverLowestPrice'),
    spotOverLowest: percentage(params, 'SpotMaxPricePercentageOverLowestPrice'),
    spotOfOnDemand: percentage(params, 'MaxSpotPriceAsPercentageOfOptimalOnDemandPrice'),
  };
  if (price.spotOverLowest !== undefined && price.spotOfOnDemand !== undefined) {
    throw invalidCombination(
      'Only one of SpotMaxPricePercentageOverLowestPrice and MaxSpotPriceAsPercentageOfOptimalOnDemandPrice may be specified.',
    );
  }
  return price;
}

function range(params: Params, name: string): Range {
  const bounds = part(params, name);
  const min = decimal(bounds, 'Min') ?? 0;
  const max = decimal(bounds, 'Max') ?? Number.POSITIVE_INFINITY;
  if (min < 0 || max < 0) throw invalidParameter(`InstanceRequirements.${name} must not be negative.`);
  if (max < min)
    throw invalidParameter(
      `The maximum of InstanceRequirements.${name} (${max}) is smaller than its minimum (${min}).`,
    );
  return { min, max };
}

function percentage(params: Params, name: string): number | undefined {
  const value = integer(params, name);
  if (value !== undefined && value < 0)
    throw invalidParameter(`Value (${value}) for parameter ${name} is invalid. It must not be negative.`);
  return value;
}

function presence(params: Params, name: string, otherwise: Presence): Presence {
  return oneOf(params, name, ['included', 'required', 'excluded']) ?? otherwise;
}

function list(params: Params, name: keyof typeof words): string[] {
  const values = spellings(name).flatMap((spelling) => {
    const found = part(params, spelling);
    return found?.['member'] === undefined ? texts(params, spelling) : texts(found, 'member');
  });
  const allowed: readonly string[] | undefined = words[name];
  const wrong = allowed && values.find((value) => !allowed.includes(value));
  if (wrong !== undefined)
    throw invalidParameter(`Value (${wrong}) for parameter InstanceRequirements.${name} is invalid.`);
  return values;
}

/** Names with `*` for any text: `c5*` also covers c5a and c5n, `c5.*` does not. */
function patterns(params: Params, name: 'AllowedInstanceType' | 'ExcludedInstanceType'): RegExp[] {
  const values = list(params, name);
  if (values.length > maxPatterns)
    throw invalidParameter(`InstanceRequirements.${name} can have at most ${maxPatterns} entries.`);
  return values.map((value) => {
    if (!/^[a-zA-Z0-9.*-]{1,30}$/.test(value))
      throw invalidParameter(`Value (${value}) for parameter InstanceRequirements.${name} is invalid.`);
    return new RegExp(`^${value.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  });
}
