import test from 'ava';
import { compile, type CanonicalTemplate, type SchedulerStrategy, type Template } from '../../../core/index.ts';
import { TemplateReview } from '../../../core/templates/review.ts';
import type { ProviderType } from '../../../core/contract/provider/provider-type.ts';
import { cloudFields } from '../../../plugins/cloud/template/fields.ts';
import plugin from '../../../plugins/hostfactory-format/index.ts';

const strategy = (plugin.schedulers ?? [])[0] as SchedulerStrategy;
const review = new TemplateReview(
  [{ type: 'cloud', aliases: ['aws'], fields: cloudFields } as unknown as ProviderType],
  [],
);
const canonical: (raw: Record<string, unknown>) => CanonicalTemplate = review.canonical;
const read = (...templates: readonly Record<string, unknown>[]) =>
  strategy.readTemplates?.({ templates }, canonical) ?? { layers: [], findings: [] };
const fieldsOf = (entry: Record<string, unknown>) => read({ templateId: 'a', ...entry }).layers[0]?.fields;

const recognised: readonly (readonly [string, unknown, string, boolean])[] = [
  ['a file that says so', { scheduler_type: 'hostfactory', templates: [] }, 'templates.json', true],
  [
    'a file that says otherwise',
    { scheduler_type: 'default', templates: [{ vmType: 'x' }] },
    'awsprov_templates.json',
    false,
  ],
  ["IBM's name", { templates: [] }, 'awsprov_templates.json', true],
  ['telling keys', { templates: [{ templateId: 'a', vmTypes: {} }] }, 'templates.json', true],
  ['telling keys in a list', [{ templateId: 'a', maxNumber: 1 }], 'templates.yaml', true],
  ['our own form', { templates: [{ template_id: 'a', machine_type: 'x' }] }, 'templates.json', false],
  ['our own form in camelCase', { templates: [{ templateId: 'a', machineType: 'x' }] }, 'templates.json', false],
  ['something else', 7, 'templates.json', false],
];
for (const [title, file, name, answer] of recognised) {
  test(`recognizes ${title}: ${answer}`, (t) => t.is(strategy.recognizes?.(file, name), answer));
}

const mapped: (readonly [Record<string, unknown>, Record<string, unknown>])[] = [
  [{ maxNumber: '5' }, { max_instances: 5, provider_api: 'RunInstances' }],
  [{ maxNumber: -1 }, { max_instances: -1, provider_api: 'RunInstances' }],
  [{ vmType: 't3.small' }, { machine_type: 't3.small' }],
  [{ vmType: 't3.small,t3.large' }, { machine_types: { 't3.small': 1, 't3.large': 1 } }],
  [{ vmTypesPriority: { a: 1 } }, { machine_types_priority: { a: 1 } }],
  [{ subnetId: 'subnet-1' }, { subnet_ids: ['subnet-1'] }],
  [{ subnetId: 'subnet-1, subnet-2' }, { subnet_ids: ['subnet-1', 'subnet-2'] }],
  [{ subnetId: ['subnet-1'] }, { subnet_ids: ['subnet-1'] }],
  [{ subnetIds: ['subnet-1'] }, { subnet_ids: ['subnet-1'] }],
  [{ securityGroupIds: ['', 'sg-1'] }, { security_group_ids: ['sg-1'] }],
  [{ instanceTags: ' a=1; b = x=y ;' }, { tags: { a: '1', b: 'x=y' } }],
  [{ instanceTags: { a: 1 } }, { tags: { a: '1' } }],
  [{ priceType: 'heterogeneous' }, { price_type: 'mixed' }],
  [{ spotPrice: 0.3 }, { max_price: 0.3 }],
  [{ spotPrice: 0 }, {}],
  [
    { rootDeviceVolumeSize: 20, volumeType: 'io1', iops: 200 },
    { root_volume_size: 20, volume_type: 'io1', iops: 200 },
  ],
  [
    { launchTemplateId: 'lt-1', launchTemplateVersion: '$Latest' },
    { launch_template_id: 'lt-1', launch_template_version: '$Latest' },
  ],
  [
    { instanceProfile: 'role', fleetRole: 'arn:x', spotFleetRequestExpiry: 40 },
    { instance_profile: 'role', fleet_role: 'arn:x', spot_fleet_request_expiry: 40 },
  ],
  [{ abisInstanceRequirements: { VCpuCount: { Min: 2 } } }, { instance_requirements: { VCpuCount: { Min: 2 } } }],
  [{ userData: 'IyEvYmluL3No' }, { user_data: 'IyEvYmluL3No' }],
  [{ userData: '' }, {}],
  [{ keyName: '', imageId: null }, {}],
  [{ attributes: { ncpus: 4 } }, { attributes: { ncpus: 4 } }],
  [
    { providerType: 'aws', providerName: 'east' },
    { provider_type: 'cloud', provider_name: 'east' },
  ],
  [
    { gpuextend: 'x', computeUnit: 'rack', priority: 5, pgrpName: null },
    { gpuextend: 'x', computeUnit: 'rack', priority: 5, pgrpName: null },
  ],
];
mapped.push(
  [{ requestValidity: '1:30' }, { spot_fleet_request_expiry: 90 }],
  [{ requestValidity: '' }, {}],
  [{ onDemandTargetCapacityRatio: 0.25 }, { percent_on_demand: 25 }],
  [
    { placementGroupName: 'p', tenancy: 'dedicated', ebsOptimized: 'true' },
    { placement_group: 'p', tenancy: 'dedicated', ebs_optimized: true },
  ],
  [
    { vmTypesOnDemand: { x: 1 }, poolsCount: 2, interfaceType: 'efa', efaCount: '4' },
    { machine_types_on_demand: { x: 1 }, pools_count: 2, interface_type: 'efa', efa_count: 4 },
  ],
  [{ poolsCount: 0, efaCount: 0, placementGroupName: '', tenancy: '', ebsOptimized: '' }, {}],
  [
    {
      machineImage: 'ami-1',
      maxMachines: 5,
      machineDiskSizeGb: 20,
      machineDiskType: 'gp3',
      networkZones: ['subnet-1'],
    },
    { image_id: 'ami-1', max_instances: 5, root_volume_size: 20, volume_type: 'gp3', subnet_ids: ['subnet-1'] },
  ],
  [
    {
      machineSshKey: 'k',
      machineBootstrap: 'IyE=',
      machineRole: 'r',
      publicIpAssignment: true,
      monitoringEnabled: true,
    },
    { key_name: 'k', user_data: 'IyE=', instance_profile: 'r', public_ip: true, monitoring: true },
  ],
  [{ ttl: 90 }, { lease: 5_400 }],
  [{ ttl: '2' }, { lease: 120 }],
  [{ ttl: 0 }, {}],
  [
    { storageEncryption: true, encryptionKey: 'alias/k', throughput: 250 },
    { encrypted: true, kms_key_id: 'alias/k', throughput: 250 },
  ],
);
for (const [entry, fields] of mapped) {
  test(`reads ${JSON.stringify(entry)}`, (t) => t.deepEqual(fieldsOf(entry), { template_id: 'a', ...fields }));
}

for (const [key, value] of [['durationInHours', 2]] as const) {
  test(`${key} loads, with a warning that it has no effect`, (t) => {
    const { layers, findings } = read({ templateId: 'a', [key]: value });
    t.deepEqual(layers[0]?.fields[key], value, 'kept and shown as it is');
    t.like(findings, [{ level: 'warning', path: `/templates/0/${key}` }]);
    t.regex(findings[0]?.message ?? '', /^has no effect here: /);
  });
}

test('a request that ended with fewer machines has one of two words', (t) => {
  t.is(fieldsOf({ partialStatus: 'complete' })?.['partialStatus'], 'complete');
  t.like(read({ templateId: 'a', partialStatus: 'fine' }).findings, [
    { level: 'error', path: '/templates/0/partialStatus' },
  ]);
});

test('an id that a scheduler may not take is a warning', (t) => {
  t.deepEqual(read({ templateId: 'Template_VM-1' }).findings, []);
  for (const templateId of ['a.b', 'x'.repeat(65)])
    t.like(read({ templateId }).findings, [{ level: 'warning', path: '/templates/0/templateId' }]);
});

test('what only says the usual is no warning', (t) => {
  t.deepEqual(
    read({
      templateId: 'a',
      maxNumber: 1,
      interfaceType: 'interface',
      efaCount: 0,
      poolsCount: null,
      tenancy: 'default',
      ttl: 0,
      priority: 10,
      gpuextend: 'ngpus=4',
      computeUnit: 'rack',
    }).findings,
    [],
  );
});

const implied: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
  ['one type', { vmType: 'x' }, { provider_api: 'RunInstances' }],
  ['one of vmTypes', { vmTypes: { x: 1 } }, { provider_api: 'RunInstances', machine_type: 'x' }],
  ['several types', { vmTypes: { x: 1, y: 2 } }, { provider_api: 'EC2Fleet', fleet_type: 'instant' }],
  [
    'several types on demand',
    { vmTypes: { x: 1, y: 2 }, priceType: 'ondemand' },
    { provider_api: 'EC2Fleet', fleet_type: 'instant', price_type: 'ondemand' },
  ],
  ['spot', { vmTypes: { x: 1 }, priceType: 'spot' }, { provider_api: 'SpotFleet', price_type: 'spot' }],
  [
    'heterogeneous',
    { vmTypes: { x: 1 }, priceType: 'heterogeneous' },
    { provider_api: 'SpotFleet', price_type: 'mixed' },
  ],
  ['a fleet role', { vmTypes: { x: 1 }, fleetRole: 'arn:x' }, { provider_api: 'SpotFleet', price_type: 'spot' }],
  ['a spot price', { vmType: 'x', spotPrice: 0.1 }, { provider_api: 'SpotFleet', price_type: 'spot' }],
  ['a fleet file', { ec2FleetConfig: 'fleet.json' }, { provider_api: 'EC2Fleet' }],
  ['what the file says', { vmType: 'x', providerApi: 'ASG' }, { provider_api: 'ASG' }],
];
for (const [title, entry, fields] of implied) {
  test(`the API that is meant: ${title}`, (t) => t.like(fieldsOf({ maxNumber: 1, ...entry }), fields));
}

test('a fragment that overrides another file means no API', (t) => {
  t.is(fieldsOf({ vmType: 'x' })?.['provider_api'], undefined);
});

const told: readonly (readonly [Record<string, unknown>, string, string, RegExp])[] = [
  [{ vmType: 'x', vmTypes: { y: 1, z: 1 } }, 'warning', '/templates/0/vmType', /'x' is ignored/],
  [{ vmTypes: { x: 3 }, maxNumber: 1 }, 'warning', '/templates/0/vmTypes', /the weight 3 of the only type is ignored/],
  [{ replace_lost: true }, 'error', '/templates/0/replace_lost', /remove it/],
  [{ onRebalance: 'replace' }, 'warning', '/templates/0/on_rebalance', /does not ask for a complete request again/],
  [
    { subnetId: 'a', subnetIds: ['b'] },
    'error',
    '/templates/0/subnetIds',
    /another key of this template sets 'subnet_ids'/,
  ],
  [{ templateId: 7 }, 'error', '/templates/0/templateId', /must be a string/],
];
for (const [entry, level, path, message] of told) {
  test(`is reported: ${JSON.stringify(entry)}`, (t) => {
    const { layers, findings } = read({ templateId: 'a', ...entry });
    t.like(findings[0], { level: level as 'error', path });
    t.regex(findings[0]?.message ?? '', message);
    t.is(layers.length, level === 'error' ? 0 : 1);
  });
}

test('a wrong template does not keep the others out', (t) => {
  const { layers, findings } = read({ maxNumber: 1 }, { templateId: 'b', vmType: 'x' }, { templateId: 'b' });
  t.deepEqual(
    layers.map(({ template_id }) => template_id),
    ['b'],
  );
  t.deepEqual(
    findings.map(({ path }) => path),
    ['/templates/0/templateId', '/templates/2/templateId'],
  );
});

const available = (template: Record<string, unknown>) => {
  const view = strategy.templates.render({
    items: [{ template: { template_id: 'a', ...template } as Template }],
    total_count: 1,
    at: 0,
  });
  fits(view);
  return (view as { templates: Record<string, unknown>[] }).templates[0];
};
function fits(view: unknown): void {
  const { findings } = compile(strategy.templates.schema).parse(view);
  if (findings) throw new Error(JSON.stringify(findings));
}

test('attributes are pairs of type and text on the wire, in any form of the file', (t) => {
  const attributes = {
    type: ['String', 'X86_64'],
    ncpus: 4,
    nram: ['Numeric', 8192],
    rank: ['7'],
    gpu: true,
    zone: 'a',
    range: '[1:8]',
  };
  t.deepEqual(available({ attributes })?.['attributes'], {
    type: ['String', 'X86_64'],
    ncpus: ['Numeric', '4'],
    nram: ['Numeric', '8192'],
    rank: ['Numeric', '7'],
    gpu: ['Boolean', '1'],
    zone: ['String', 'a'],
    range: ['Numeric', '[1:8]'],
  });
});

test('attributes that HostFactory insists on are always there; where a file says mem, nram is not added', (t) => {
  t.deepEqual(available({})?.['attributes'], {
    type: ['String', 'X86_64'],
    ncpus: ['Numeric', '1'],
    nram: ['Numeric', '1024'],
  });
  t.deepEqual(Object.keys(available({ attributes: { mem: 1 } })?.['attributes'] ?? {}), ['mem', 'type', 'ncpus']);
});

test('what was read is shown in HostFactory words again, unknown keys as they were', (t) => {
  const entry = {
    templateId: 'a',
    maxNumber: 4,
    attributes: { type: ['String', 'X86_64'], ncpus: ['Numeric', '1'], nram: ['Numeric', '1'] },
    imageId: 'ami-1',
    subnetId: 'subnet-1,subnet-2',
    vmTypes: { x: 1, y: 2 },
    priceType: 'heterogeneous',
    instanceTags: 'a=1;b=2',
    maxSpotPrice: 0.5,
    rootDeviceVolumeSize: 9,
    placementGroupName: 'p',
    pgrpName: null,
  };
  t.deepEqual(available({ ...read(entry).layers[0]?.fields }), {
    ...entry,
    providerApi: 'SpotFleet',
  });
});

test('no bound is -1, and an empty list says so', (t) => {
  t.is(available({})?.['maxNumber'], -1);
  t.deepEqual(strategy.templates.render({ items: [], total_count: 0, at: 0 }), {
    message: 'There are no templates.',
    templates: [],
  });
});
