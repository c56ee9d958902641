import {
  CreateLaunchTemplateCommand,
  GetInstanceTypesFromInstanceRequirementsCommand,
  type GetInstanceTypesFromInstanceRequirementsCommandInput,
  type InstanceRequirementsRequest,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import fc from 'fast-check';
import { instanceTypes } from '../../../plugins/cloud-simulator/catalogue.ts';
import {
  matchesRequirements,
  typesFor,
} from '../../../plugins/cloud-simulator/launch/requirements/instance-requirements.ts';
import type { Market } from '../../../plugins/cloud-simulator/launch/specification/launch-spec.ts';
import { readRequirements } from '../../../plugins/cloud-simulator/launch/requirements/read-requirements.ts';
import type { CallContext } from '../../../plugins/cloud-simulator/state/call-context.ts';
import { createRegionState } from '../../../plugins/cloud-simulator/state/region-state.ts';
import { readForm } from '../../../plugins/cloud-simulator/wire/form.ts';
import { codeOf, launch, openCloud } from './support.ts';

const anything = 'VCpuCount.Min=0&MemoryMiB.Min=0';
const every = `${anything}&BurstablePerformance=included&BareMetal=included`;

/** Which of some types fit attributes in wire form. */
function fitting(query: string, names: readonly string[]): string[] {
  const wanted = readRequirements(readForm(query).params);
  return names.filter((name) => matchesRequirements(instanceTypes.get(name) ?? never(name), wanted));
}

function never(name: string): never {
  throw new Error(`The catalogue has no ${name}.`);
}

const table: readonly [about: string, query: string, of: string, fit: string][] = [
  ['least vCPUs', 'VCpuCount.Min=4&MemoryMiB.Min=0', 'c5.large c5.xlarge c5.2xlarge', 'c5.xlarge c5.2xlarge'],
  [
    'most vCPUs',
    'VCpuCount.Min=2&VCpuCount.Max=4&MemoryMiB.Min=0',
    'c5.large c5.xlarge c5.2xlarge',
    'c5.large c5.xlarge',
  ],
  [
    'memory',
    'VCpuCount.Min=0&MemoryMiB.Min=8192&MemoryMiB.Max=8192',
    'c5.xlarge m5.large r5.large',
    'c5.xlarge m5.large',
  ],
  [
    'memory by vCPU',
    `${anything}&MemoryGiBPerVCpu.Min=3.5&MemoryGiBPerVCpu.Max=4.5`,
    'c5.xlarge m5.large r5.large',
    'm5.large',
  ],
  [
    'Intel',
    `${anything}&CpuManufacturer.1=intel`,
    'm5.large m5a.large m6g.large g4dn.xlarge g5.xlarge',
    'm5.large g4dn.xlarge',
  ],
  [
    'AMD',
    `${anything}&CpuManufacturer.1=amd`,
    'm5.large m5a.large m6g.large hpc7a.96xlarge g5.xlarge',
    'm5a.large hpc7a.96xlarge g5.xlarge',
  ],
  [
    'Graviton',
    `${anything}&CpuManufacturer.1=amazon-web-services`,
    'm5.large g5g.xlarge m6g.large x2gd.large',
    'g5g.xlarge m6g.large x2gd.large',
  ],
  [
    'two makers',
    `${anything}&CpuManufacturer.1=amd&CpuManufacturer.2=intel`,
    'm5.large m5a.large m6g.large',
    'm5.large m5a.large',
  ],
  ['no burstable ones unless asked', anything, 't3.micro m5.large', 'm5.large'],
  ['burstable ones too', `${anything}&BurstablePerformance=included`, 't3.micro m5.large', 't3.micro m5.large'],
  ['only burstable ones', `${anything}&BurstablePerformance=required`, 't3.micro m5.large', 't3.micro'],
  ['only bare metal', `${anything}&BareMetal=required`, 'm5.large c5.large', ''],
  ['current generation', `${anything}&InstanceGeneration.1=current`, 'm4.large m5.large', 'm5.large'],
  ['previous generation', `${anything}&InstanceGeneration.1=previous`, 'm4.large m5.large', 'm4.large'],
  [
    'local disks',
    `${anything}&LocalStorage=required`,
    'm5.large m5d.large i3.large g4dn.xlarge',
    'm5d.large i3.large g4dn.xlarge',
  ],
  ['no local disks', `${anything}&LocalStorage=excluded`, 'm5.large m5d.large', 'm5.large'],
  ['a kind of local disk', `${anything}&LocalStorageType.1=hdd`, 'm5.large m5d.large', 'm5.large'],
  ['a family', `${anything}&AllowedInstanceType.1=c5.*`, 'c5.large c5a.large c6i.large', 'c5.large'],
  [
    'a family and its relatives',
    `${anything}&AllowedInstanceType.1=c5*`,
    'c5.large c5a.large c6i.large',
    'c5.large c5a.large',
  ],
  ['one name', `${anything}&AllowedInstanceType.1=c5.large`, 'c5.large c5.xlarge', 'c5.large'],
  [
    'not these',
    `${anything}&ExcludedInstanceType.1=*5*&ExcludedInstanceType.2=m6a.large`,
    'c5.large m6a.large m6i.large',
    'm6i.large',
  ],
  ['no accelerator', `${anything}&AcceleratorCount.Max=0`, 'm5.large g5.xlarge', 'm5.large'],
  [
    'four accelerators',
    `${anything}&AcceleratorCount.Min=4&AcceleratorCount.Max=4`,
    'g5.xlarge g5.12xlarge p3.16xlarge',
    'g5.12xlarge',
  ],
  [
    'a named accelerator',
    `${anything}&AcceleratorName.1=a100&AcceleratorName.2=t4`,
    'g4dn.xlarge g5.xlarge p4d.24xlarge',
    'g4dn.xlarge p4d.24xlarge',
  ],
  ['an accelerator’s maker', `${anything}&AcceleratorManufacturer.1=nvidia`, 'm5.large p3.2xlarge', 'p3.2xlarge'],
  ['another accelerator’s maker', `${anything}&AcceleratorManufacturer.1=habana`, 'm5.large p3.2xlarge', ''],
  ['an accelerator’s kind', `${anything}&AcceleratorType.1=fpga`, 'm5.large p3.2xlarge', ''],
  ['accelerator memory', `${anything}&AcceleratorTotalMemoryMiB.Min=90000`, 'g5.xlarge g5.12xlarge', 'g5.12xlarge'],
  [
    'lists of a Spot fleet',
    `${anything}&CpuManufacturerSet.1=amd&ExcludedInstanceTypeSet.1=c*`,
    'm5.large m5a.large c5a.large',
    'm5a.large',
  ],
  [
    'lists of a group',
    `${anything}&CpuManufacturers.member.1=amd&AllowedInstanceTypes.member.1=m*`,
    'm5.large m5a.large c5a.large',
    'm5a.large',
  ],
  [
    'attributes without effect',
    `${anything}&NetworkInterfaceCount.Min=4&RequireHibernateSupport=true`,
    'm5.large',
    'm5.large',
  ],
];
for (const [about, query, of, fit] of table) {
  test(`attributes select types: ${about}`, (t) => {
    t.deepEqual(fitting(query, of.split(' ')).join(' '), fit);
  });
}

const refusals: readonly [about: string, query: string, code: string][] = [
  ['without vCPUs', 'MemoryMiB.Min=0', 'MissingParameter'],
  ['without memory', 'VCpuCount.Min=0', 'MissingParameter'],
  ['with only a maximum of memory', 'VCpuCount.Min=0&MemoryMiB.Max=1', 'MissingParameter'],
  ['with bounds that are crossed', 'VCpuCount.Min=4&VCpuCount.Max=2&MemoryMiB.Min=0', 'InvalidParameterValue'],
  [
    'with crossed bounds of what has no effect',
    `${anything}&NetworkInterfaceCount.Min=4&NetworkInterfaceCount.Max=2`,
    'InvalidParameterValue',
  ],
  ['below nothing', 'VCpuCount.Min=-1&MemoryMiB.Min=0', 'InvalidParameterValue'],
  ['that are not numbers', 'VCpuCount.Min=two&MemoryMiB.Min=0', 'InvalidParameterValue'],
  ['with an unknown maker', `${anything}&CpuManufacturer.1=via`, 'InvalidParameterValue'],
  ['with an unknown choice', `${anything}&BareMetal=maybe`, 'InvalidParameterValue'],
  ['with a malformed pattern', `${anything}&AllowedInstanceType.1=c5%20large`, 'InvalidParameterValue'],
  [
    'that allow and exclude',
    `${anything}&AllowedInstanceType.1=c5*&ExcludedInstanceType.1=m5*`,
    'InvalidParameterCombination',
  ],
  [
    'with two measures of Spot prices',
    `${anything}&SpotMaxPricePercentageOverLowestPrice=50&MaxSpotPriceAsPercentageOfOptimalOnDemandPrice=50`,
    'InvalidParameterCombination',
  ],
  ['nobody knows', `${anything}&CpuMaker.1=intel`, 'UnknownParameter'],
];
for (const [about, query, code] of refusals) {
  test(`attributes ${about} are refused`, (t) => {
    t.throws(() => fitting(query, []), { name: 'AwsError', code });
  });
}

test('the types without and with an attribute are together all types', (t) => {
  const names = [...instanceTypes.keys()];
  const attribute = fc.constantFrom('LocalStorage', 'BurstablePerformance', 'BareMetal');
  fc.assert(
    fc.property(attribute, fc.nat({ max: 128 }), (name, vcpus) => {
      const base = `VCpuCount.Min=${vcpus}&MemoryMiB.Min=0&BurstablePerformance=included&BareMetal=included&LocalStorage=included`;
      const select = (word: string) => fitting(base.replace(`${name}=included`, `${name}=${word}`), names);
      t.deepEqual([...select('required'), ...select('excluded')].toSorted(), select('included').toSorted());
    }),
  );
});

/** Only what `typesFor` reads of a call context. */
function contextIn(region: string): CallContext {
  return {
    state: createRegionState('000000000000', region, {
      tokenMemoryMs: () => 0,
      contextIn: () => {
        throw new Error('Nothing happens here.');
      },
    }),
  } as unknown as CallContext;
}

function priced(query: string, market: Market): { names: string[]; dearest: number; cheapest: number } {
  const types = typesFor(contextIn('us-east-1'), readForm(query).params, market);
  const prices = types.map((type) => (market === 'spot' ? type.spot_price : type.on_demand_price));
  return {
    names: types.map((type) => type.instance_type),
    dearest: Math.max(...prices),
    cheapest: Math.min(...prices),
  };
}

const eight = 'VCpuCount.Min=8&MemoryMiB.Min=16384';

test('types that cost over 20 percent more than the cheapest ordinary one are left out of On-Demand', (t) => {
  const protectedOnes = priced(eight, 'on-demand');
  const all = priced(`${eight}&OnDemandMaxPricePercentageOverLowestPrice=999999`, 'on-demand');

  t.true(protectedOnes.dearest <= protectedOnes.cheapest * 1.2);
  t.is(protectedOnes.cheapest, all.cheapest);
  t.true(all.names.length > protectedOnes.names.length);
});

test('types that cost over twice the cheapest ordinary one are left out of Spot', (t) => {
  const protectedOnes = priced(eight, 'spot');

  t.true(protectedOnes.dearest <= protectedOnes.cheapest * 2);
  t.true(
    priced(`${eight}&SpotMaxPricePercentageOverLowestPrice=999999`, 'spot').names.length > protectedOnes.names.length,
  );
  t.true(
    priced(`${eight}&SpotMaxPricePercentageOverLowestPrice=10`, 'spot').names.length < protectedOnes.names.length,
  );
});

test('Spot prices can be measured by the cheapest On-Demand price', (t) => {
  const onDemand = priced(eight, 'on-demand');
  const spot = priced(`${eight}&MaxSpotPriceAsPercentageOfOptimalOnDemandPrice=50`, 'spot');

  t.true(spot.names.length > 0);
  t.true(spot.dearest <= onDemand.cheapest / 2);
});

test('prices are compared by vCPU when the target counts vCPUs', (t) => {
  const wide = typesFor(contextIn('us-east-1'), readForm('VCpuCount.Min=2&MemoryMiB.Min=0').params, 'on-demand', {
    unit: 'vcpu',
  });
  const single = typesFor(contextIn('us-east-1'), readForm('VCpuCount.Min=2&MemoryMiB.Min=0').params, 'on-demand');

  t.true(wide.some((type) => type.vcpus >= 64));
  t.false(single.some((type) => type.vcpus >= 64));
});

test('types of another architecture than the image’s do not count, nor do their prices', (t) => {
  const types = typesFor(contextIn('us-east-1'), readForm(eight).params, 'on-demand', { arch: 'x86_64' });

  t.true(types.length > 0);
  t.true(types.every((type) => type.arch === 'x86_64'));
});

test('types that are not on the Spot market are not selected for it', (t) => {
  const query = `${every}&AllowedInstanceType.1=hpc*`;

  t.true(priced(`${query}&OnDemandMaxPricePercentageOverLowestPrice=999999`, 'on-demand').names.length > 0);
  t.deepEqual(priced(`${query}&SpotMaxPricePercentageOverLowestPrice=999999`, 'spot').names, []);
});

function preview(
  InstanceRequirements: InstanceRequirementsRequest,
  more: Partial<GetInstanceTypesFromInstanceRequirementsCommandInput> = {},
): GetInstanceTypesFromInstanceRequirementsCommand {
  return new GetInstanceTypesFromInstanceRequirementsCommand({
    ArchitectureTypes: ['x86_64'],
    VirtualizationTypes: ['hvm'],
    InstanceRequirements,
    ...more,
  });
}

test('GetInstanceTypesFromInstanceRequirements previews a selection page by page', async (t) => {
  const { ec2 } = await openCloud(t);
  const requirements = { VCpuCount: { Min: 2, Max: 2 }, MemoryMiB: { Min: 4096, Max: 4096 } };

  const whole = await ec2.send(preview(requirements));
  const first = await ec2.send(preview(requirements, { MaxResults: 2 }));
  const second = await ec2.send(preview(requirements, { MaxResults: 2, NextToken: first.NextToken }));

  const names = whole.InstanceTypes?.map((type) => type.InstanceType) ?? [];
  t.true(names.includes('c5.large'));
  t.false(names.includes('c6g.large'));
  t.is(whole.NextToken, undefined);
  t.deepEqual(
    [...(first.InstanceTypes ?? []), ...(second.InstanceTypes ?? [])].map((type) => type.InstanceType),
    names.slice(0, 4),
  );
});

test('GetInstanceTypesFromInstanceRequirements needs architecture and virtualization', async (t) => {
  const { ec2 } = await openCloud(t);
  const requirements = { VCpuCount: { Min: 1 }, MemoryMiB: { Min: 1 } };

  t.is(await codeOf(ec2.send(preview(requirements, { ArchitectureTypes: [] }))), 'MissingParameter');
  t.is(await codeOf(ec2.send(preview(requirements, { VirtualizationTypes: [] }))), 'MissingParameter');
  t.deepEqual((await ec2.send(preview(requirements, { VirtualizationTypes: ['paravirtual'] }))).InstanceTypes, []);
});

test('RunInstances does not take attributes from a template', async (t) => {
  const { ec2 } = await openCloud(t);
  await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'by-attributes',
      LaunchTemplateData: { ImageId: 'ami-1', InstanceRequirements: { VCpuCount: { Min: 1 }, MemoryMiB: { Min: 1 } } },
    }),
  );
  const template = { LaunchTemplate: { LaunchTemplateName: 'by-attributes' }, MinCount: 1, MaxCount: 1 };

  t.is(await codeOf(ec2.send(new RunInstancesCommand(template))), 'InvalidParameterValue');
  t.is(await codeOf(ec2.send(launch(template))), 'InvalidParameterCombination');
});
