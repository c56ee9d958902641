import { type CatalogueInstanceType, familyOf } from './catalogue.ts';

/**
 * Attributes of an instance type that follow from its name and complement the catalogue, for selection by attributes
 * and for DescribeInstanceTypes.
 */
export interface TypeFacts {
  readonly family: string;
  readonly cpu: 'intel' | 'amd' | 'amazon-web-services' | 'apple';
  readonly current: boolean;
  readonly burstable: boolean;
  readonly bareMetal: boolean;
  /** Kind of its local disks; undefined = only EBS. */
  readonly localStorage: 'ssd' | 'hdd' | undefined;
  readonly accelerator: Accelerator | undefined;
  /** Whether the Spot market offers it. */
  readonly spot: boolean;
  /** Whether capacity blocks of it exist. */
  readonly capacityBlocks: boolean;
  /** Number of its network cards, each with one EFA interface; 0 = no EFA. */
  readonly efaCards: number;
  /** `nitro`, or `xen` for older types. */
  readonly hypervisor: 'nitro' | 'xen';
}

export interface Accelerator {
  readonly kind: 'gpu' | 'inference' | 'fpga';
  readonly manufacturer: 'nvidia' | 'amd' | 'amazon-web-services' | 'habana' | 'xilinx';
  /** As attributes name it (`a10g`) and as DescribeInstanceTypes shows it (`A10G`). */
  readonly name: string;
  readonly label: string;
  /** Memory of one device. */
  readonly memoryMib: number;
}

const previous = new Set(['m1', 'm3', 'm4', 'c4', 'r4', 'p2', 'x1', 'x1e', 'i3']);
const onXen = new Set(['t2', 'm1', 'm3', 'm4', 'c4', 'r4', 'p2', 'p3', 'x1', 'x1e', 'i3']);
// The names of accelerated types show the processor only for Graviton, so these families are listed.
const amdWithoutLetter = new Set(['g5', 'g6', 'p5']);
const disksWithoutLetter = new Set(['m3', 'i3', 'i4i', 'x1', 'x1e', 'g5', 'g6', 'p5']);

const gpu = (name: string, label: string, memoryMib: number): Accelerator => ({
  kind: 'gpu',
  manufacturer: 'nvidia',
  name,
  label,
  memoryMib,
});
const accelerators: Readonly<Record<string, Accelerator>> = {
  g4dn: gpu('t4', 'T4', 16_384),
  g5: gpu('a10g', 'A10G', 24_576),
  g5g: gpu('t4g', 'T4g', 16_384),
  g6: gpu('l4', 'L4', 22_888),
  p2: gpu('k80', 'K80', 12_288),
  p3: gpu('v100', 'V100', 16_384),
  p4d: gpu('a100', 'A100', 40_960),
  p5: gpu('h100', 'H100', 81_920),
};

const known = new Map<string, TypeFacts>();

export function factsOf(type: CatalogueInstanceType): TypeFacts {
  const name = type.instance_type;
  const remembered = known.get(name);
  if (remembered !== undefined) return remembered;
  const made = deriveFacts(name, type.gpus > 0);
  known.set(name, made);
  return made;
}

function deriveFacts(name: string, accelerated: boolean): TypeFacts {
  const family = familyOf(name);
  // `c6gd`: the class, the generation, and letters for processor and equipment.
  const [, kind = '', letters = ''] = /^([a-z]+)\d+([a-z-]*)$/.exec(family) ?? [];
  return {
    family,
    cpu: cpuOf(family, kind, letters),
    current: !previous.has(family),
    burstable: kind === 't',
    bareMetal: name.includes('.metal'),
    localStorage: letters.includes('d') || disksWithoutLetter.has(family) ? 'ssd' : undefined,
    accelerator: accelerated ? accelerators[family] : undefined,
    spot: kind !== 'hpc' && kind !== 'mac',
    capacityBlocks: family === 'p4d' || family === 'p5',
    efaCards: efaCardsOf(family, kind, name),
    hypervisor: onXen.has(family) ? 'xen' : 'nitro',
  };
}

/** The sizes with EFA of the families of which only some sizes have it. All sizes of the family hpc have it. */
const efaSizes: Readonly<Record<string, readonly string[]>> = {
  c5n: ['9xlarge', '18xlarge', 'metal'],
  m5n: ['24xlarge', 'metal'],
  g4dn: ['8xlarge', '12xlarge', '16xlarge', 'metal'],
  g5: ['8xlarge', '12xlarge', '16xlarge', '24xlarge', '48xlarge'],
  g6: ['8xlarge', '12xlarge', '16xlarge', '24xlarge', '48xlarge'],
  c6i: ['32xlarge', 'metal'],
  m6i: ['32xlarge', 'metal'],
  r6i: ['32xlarge', 'metal'],
  i4i: ['32xlarge', 'metal'],
  c6a: ['48xlarge', 'metal'],
  m6a: ['48xlarge', 'metal'],
  r6a: ['48xlarge', 'metal'],
  c7a: ['48xlarge', 'metal-48xl'],
  m7a: ['48xlarge', 'metal-48xl'],
  c7i: ['48xlarge', 'metal-48xl'],
  m7i: ['48xlarge', 'metal-48xl'],
  r7i: ['48xlarge', 'metal-48xl'],
  c7g: ['16xlarge', 'metal'],
  m7g: ['16xlarge', 'metal'],
  r7g: ['16xlarge', 'metal'],
  c8g: ['24xlarge', '48xlarge', 'metal-24xl', 'metal-48xl'],
  m8g: ['24xlarge', '48xlarge', 'metal-24xl', 'metal-48xl'],
  r8g: ['24xlarge', '48xlarge', 'metal-24xl', 'metal-48xl'],
  p4d: ['24xlarge'],
  p5: ['48xlarge'],
};
const efaCardsOfFamily: Readonly<Record<string, number>> = { p4d: 4, p5: 32, hpc7a: 2 };

function efaCardsOf(family: string, kind: string, name: string): number {
  const has = kind === 'hpc' || efaSizes[family]?.includes(name.slice(family.length + 1));
  return has ? (efaCardsOfFamily[family] ?? 1) : 0;
}

function cpuOf(family: string, kind: string, letters: string): TypeFacts['cpu'] {
  if (kind === 'mac') return 'apple';
  if (letters.includes('g')) return 'amazon-web-services';
  return letters.includes('a') || amdWithoutLetter.has(family) ? 'amd' : 'intel';
}
