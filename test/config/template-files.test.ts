import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { sampleTemplates } from '../../config/samples.ts';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { readTemplateFiles, templateFilesAmong } from '../../config/templates/template-files.ts';
import { watchTemplates } from '../../config/templates/watch-templates.ts';
import { isError } from '../../core/contract/findings.ts';
import type { ProviderApi } from '../../core/contract/provider/provider-api.ts';
import type { ProviderType } from '../../core/contract/provider/provider-type.ts';
import { TemplateReview } from '../../core/templates/review.ts';
import { cloudFields } from '../../plugins/cloud/template/fields.ts';
import { oneOfMany } from '../support/temporary-directory.ts';

const plugins = await loadPlugins(['default-format', 'hostfactory-format'], { cwd: import.meta.dirname });
const strategies = plugins.flatMap((plugin) => plugin.schedulers ?? []);
const types = [{ type: 'cloud', aliases: ['aws'], fields: cloudFields }] as unknown as readonly ProviderType[];
const names = { EC2Fleet: [], SpotFleet: [], RunInstances: [], ASG: ['AutoScalingGroup'] };
const apis = Object.entries(names).map(([name, aliases]) => ({
  type: 'cloud',
  name,
  aliases,
})) as unknown as readonly ProviderApi[];
const review = new TemplateReview(types, apis);

const read = (directory: string, instances: readonly string[] = ['east', 'west']) =>
  readTemplateFiles({ directory, types, instances, strategies, review });

async function directoryWith(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = oneOfMany('muster-templates-');
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return directory;
}

test('template files are recognized by their names, least specific first', (t) => {
  const there = [
    'west_templates.yml',
    'east_templates.json',
    'cloud_templates.yaml',
    'awsprov_templates.json',
    'templates.yaml',
    'templates.json',
    'north_templates.json',
    'templates.json.bak',
  ];
  t.deepEqual(
    templateFilesAmong(there, { types, instances: ['east', 'west'] }).map(
      ({ name, file_type }) => `${name} ${file_type}`,
    ),
    [
      'templates.json main',
      'templates.yaml main',
      'awsprov_templates.json provider_type',
      'cloud_templates.yaml provider_type',
      'east_templates.json provider_instance',
      'west_templates.yml provider_instance',
    ],
  );
});

test('our own form is a list or an object with one, in snake_case or camelCase', async (t) => {
  const directory = await directoryWith({
    'templates.yaml': 'templates:\n  - template_id: a\n    image_id: ami-1\n    my_note: kept\n',
    'east_templates.json':
      '[{"templateId": "a", "subnetIds": ["subnet-1"], "providerApi": "AutoScalingGroup", "myNote": {"keptToo": 1}}]',
  });
  t.deepEqual(await read(directory), {
    files: ['templates.yaml', 'east_templates.json'],
    findings: [],
    layers: [
      {
        template_id: 'a',
        source_file: 'templates.yaml',
        file_type: 'main',
        fields: { template_id: 'a', image_id: 'ami-1', my_note: 'kept' },
      },
      {
        template_id: 'a',
        source_file: 'east_templates.json',
        file_type: 'provider_instance',
        provider_instance: 'east',
        fields: { template_id: 'a', subnet_ids: ['subnet-1'], provider_api: 'ASG', myNote: { keptToo: 1 } },
      },
    ],
  });
});

// The form in which LSF's AWS provider ships its sample: tabs, trailing blanks, empty entries.
const lsf = `{
    "templates": [
        {
            "templateId": "Lab-VM-1",
            "maxNumber": 0,
            "attributes": {
                "type": ["String", "X86_64"],
                "ncores": ["Numeric", "1"],\t\t
                "mem": ["Numeric", "2048"],
                "awshost": ["Boolean", "1"]
            },
\t\t\t"imageId": "ami-0a1",
            "subnetId": "subnet-0a1, subnet-0a2",
            "vmType": "t2.small",            
            "keyName": "lab",            
            "securityGroupIds": [""],
            "fleetRole": "",
            "pgrpName": null,
            "instanceTags" : "group=lab;expr=a=b",
            "userData": "zone=us_west_2a"
        }
    ]
}
`;

test('an LSF file loads as it is', async (t) => {
  const directory = await directoryWith({ 'awsprov_templates.json': lsf });
  const { layers, findings } = await read(directory);
  t.deepEqual(findings, []);
  t.deepEqual(layers[0]?.fields, {
    template_id: 'Lab-VM-1',
    max_instances: 0,
    attributes: {
      type: ['String', 'X86_64'],
      ncores: ['Numeric', '1'],
      mem: ['Numeric', '2048'],
      awshost: ['Boolean', '1'],
    },
    image_id: 'ami-0a1',
    subnet_ids: ['subnet-0a1', 'subnet-0a2'],
    machine_type: 't2.small',
    key_name: 'lab',
    security_group_ids: [],
    pgrpName: null,
    tags: { group: 'lab', expr: 'a=b' },
    user_data: Buffer.from("#!/bin/sh\nexport zone='us_west_2a'\n").toString('base64'),
    provider_api: 'RunInstances',
  });
  t.deepEqual([layers[0]?.file_type, layers[0]?.provider_type], ['provider_type', 'cloud']);
});

test('a file of another broker in HostFactory form loads as it is', async (t) => {
  const template = {
    templateId: 'Fleet-Mixed',
    maxNumber: 50,
    fleetType: 'request',
    vmTypes: { 't3.medium': 2, 't3.xlarge': 4 },
    priceType: 'heterogeneous',
    maxSpotPrice: 0.2,
    allocationStrategy: 'capacityOptimized',
    allocationStrategyOnDemand: 'lowestPrice',
    percentOnDemand: 40,
    volumeType: 'gp3',
    instanceTags: { Environment: 'lab' },
    name: 'Mixed fleet',
    providerApi: 'EC2Fleet',
    providerType: 'aws',
    createdAt: '2026-01-01T00:00:00.000000',
  };
  const directory = await directoryWith({
    'templates.json': JSON.stringify({ scheduler_type: 'hostfactory', templates: [template] }),
  });
  const { layers, findings } = await read(directory);
  t.deepEqual(findings, []);
  t.deepEqual(layers[0]?.fields, {
    template_id: 'Fleet-Mixed',
    max_instances: 50,
    fleet_type: 'request',
    machine_types: { 't3.medium': 2, 't3.xlarge': 4 },
    price_type: 'mixed',
    max_price: 0.2,
    allocation_strategy: 'capacityOptimized',
    allocation_strategy_on_demand: 'lowestPrice',
    percent_on_demand: 40,
    volume_type: 'gp3',
    tags: { Environment: 'lab' },
    name: 'Mixed fleet',
    provider_api: 'EC2Fleet',
    provider_type: 'cloud',
    createdAt: '2026-01-01T00:00:00.000000',
  });
});

test('a broken file is named with line and reason, and the others load', async (t) => {
  const directory = await directoryWith({
    'templates.json': '{"templates": [\n  {"template_id": "a"},\n]}',
    'cloud_templates.yaml': 'templates:\n  - template_id: b\n  image: [\n',
    'awsprov_templates.json': '',
    'west_templates.json': '{"templates": {"template_id": "c"}}',
    'east_templates.json': '{"templates": [{"template_id": "d"}]}',
  });
  const { layers, findings, files } = await read(directory);
  t.deepEqual(
    layers.map(({ template_id }) => template_id),
    ['d'],
  );
  t.is(files.length, 5);
  const told = findings.map(({ level, file, message }) => `${level} ${file?.replace(`${directory}/`, '')} ${message}`);
  t.is(told[0], "error templates.json:3:1 the file cannot be parsed: Unexpected token ']'");
  t.is(told[1], 'warning awsprov_templates.json the file is empty');
  t.regex(told[2] ?? '', /^error cloud_templates\.yaml:3:\d+ the file cannot be parsed: ./);
  t.is(
    told[3],
    'error west_templates.json:1:1 must be a list of templates, or an object with such a list under `templates`',
  );
});

const wrong: readonly (readonly [string, string, string])[] = [
  ['- template_id: a\n- image_id: x\n', '2:3 /1/template_id', 'is required'],
  ['- template_id: a\n- template_id: a\n', '2:3 /1/template_id', "'a' is in this file already, as number 1"],
  ['- template_id: a\n- 7\n', '2:3 /1', 'must be an object with the fields of a template'],
  [
    '- template_id: a\n- template_id: b\n  imageId: x\n  image_id: y\n',
    '3:3 /1/imageId',
    "'imageId' and 'image_id' are the same field and have different values",
  ],
  [
    '- template_id: a\n- template_id: "b c"\n',
    '2:3 /template_id',
    "template 'b c': an id is 1 to 128 letters, digits, `-`, `_`, `.`, and begins with a letter or a digit",
  ],
  [
    '- template_id: a\n- template_id: b\n  user_data_script: gone.sh\n',
    '3:3 /user_data_script',
    "template 'b': DIR/gone.sh cannot be read (ENOENT)",
  ],
];
for (const [text, place, message] of wrong) {
  test(`a template that is wrong is left out with its place: ${message}`, async (t) => {
    const directory = await directoryWith({ 'templates.yaml': text });
    const { layers, findings } = await read(directory);
    t.deepEqual(
      layers.map(({ template_id }) => template_id),
      ['a'],
    );
    const [first] = findings;
    t.is(`${first?.file?.replace(`${directory}/templates.yaml`, '').replace(/^:/, '')} ${first?.path}`, place);
    t.is(first?.message.replace(directory, 'DIR'), message);
  });
}

test('files that a template names are read with it', async (t) => {
  const directory = await directoryWith({
    'boot.sh': '#!/bin/sh\n',
    'fleet.json': '{"TargetCapacityUnitType": "units"}',
    'awsprov_templates.json': JSON.stringify([
      { templateId: 'a', maxNumber: 1, userDataScript: 'boot.sh', ec2FleetConfig: 'fleet.json' },
    ]),
  });
  const { layers, findings } = await read(directory);
  t.deepEqual(findings, []);
  t.deepEqual(layers[0]?.fields, {
    template_id: 'a',
    max_instances: 1,
    provider_api: 'EC2Fleet',
    user_data: Buffer.from('#!/bin/sh\n').toString('base64'),
    provider_api_spec: { TargetCapacityUnitType: 'units' },
  });
});

test('a directory without template files, and one that is not there, give an empty set with a reason', async (t) => {
  const empty = await directoryWith({ 'other.json': '{}' });
  t.deepEqual(await read(empty), {
    layers: [],
    files: [],
    findings: [{ level: 'warning', path: '', file: empty, message: 'the template directory holds no template file' }],
  });
  t.regex((await read(join(empty, 'gone'))).findings[0]?.message ?? '', /it does not exist$/);
});

test('the sample templates load without a word', async (t) => {
  const { layers, findings } = await read(sampleTemplates);
  t.deepEqual(findings, []);
  t.deepEqual(
    layers.map(({ template_id }) => template_id),
    ['small', 'workers', 'HF-OnDemand', 'HF-Fleet'],
  );
  t.deepEqual(
    layers
      .flatMap(({ fields }) => review.review(fields))
      .filter(({ path, level }) => level === 'error' || path !== '/fleet_type'),
    [],
  );
});

test('a dialect that recognizes a file reads it, at any position in the configuration', async (t) => {
  for (const order of [strategies, strategies.toReversed()]) {
    const { layers } = await readTemplateFiles({
      directory: sampleTemplates,
      types,
      instances: [],
      strategies: order,
      review,
    });
    const fields = layers.find(({ template_id }) => template_id === 'HF-OnDemand')?.fields;
    t.like(fields, { provider_api: 'RunInstances', tags: { team: 'samples', origin: 'hostfactory' } });
    t.true(Array.isArray(fields?.['subnet_ids']));
  }
});

test('a burst of writes to a template file is reported once, a change of another file never', async (t) => {
  const directory = await directoryWith({ 'templates.json': '[]' });
  let told = 0;
  const first = Promise.withResolvers<void>();
  // The watcher lets a process end; the test waits for it.
  const hold = setInterval(() => {}, 1000);
  using _ = watchTemplates(directory, () => {
    told += 1;
    first.resolve();
  });
  await writeFile(join(directory, 'notes.txt'), 'x');
  for (const text of ['[', '[ ', '[]']) await writeFile(join(directory, 'templates.json'), text);
  await first.promise;
  clearInterval(hold);
  t.is(told, 1);
});

test('an update of a mounted ConfigMap, which exchanges a link and changes no file, is reported', async (t) => {
  const directory = await directoryWith({});
  const version = async (name: string, text: string) => {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'templates.json'), text);
  };
  await version('..first', '[]');
  await symlink('..first', join(directory, '..data'));
  await symlink(join('..data', 'templates.json'), join(directory, 'templates.json'));
  const told = Promise.withResolvers<void>();
  const hold = setInterval(() => {}, 1000);
  using _ = watchTemplates(directory, () => told.resolve());
  await version('..second', '[{"template_id": "new"}]');
  await symlink('..second', join(directory, '..data_tmp'));
  await rename(join(directory, '..data_tmp'), join(directory, '..data'));
  await told.promise;
  clearInterval(hold);
  t.regex(await readFile(join(directory, 'templates.json'), 'utf8'), /new/);
});

test('errors of files are errors, not warnings', async (t) => {
  const directory = await directoryWith({ 'templates.json': '{' });
  t.true((await read(directory)).findings.every(isError));
});
