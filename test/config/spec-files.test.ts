import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test from 'ava';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { readTemplateFiles } from '../../config/templates/template-files.ts';
import { watchTemplates } from '../../config/templates/watch-templates.ts';
import type { ProviderApi } from '../../core/contract/provider/provider-api.ts';
import type { ProviderType } from '../../core/contract/provider/provider-type.ts';
import { TemplateReview } from '../../core/templates/review.ts';
import { cloudFields } from '../../plugins/cloud/template/fields.ts';
import { oneOfMany } from '../support/temporary-directory.ts';

const plugins = await loadPlugins(['default-format', 'hostfactory-format'], { cwd: import.meta.dirname });
const strategies = plugins.flatMap((plugin) => plugin.schedulers ?? []);
const types = [{ type: 'cloud', aliases: ['aws'], fields: cloudFields }] as unknown as readonly ProviderType[];
const apis = ['EC2Fleet', 'RunInstances'].map((name) => ({
  type: 'cloud',
  name,
})) as unknown as readonly ProviderApi[];
const review = new TemplateReview(types, apis);
const read = (directory: string) => readTemplateFiles({ directory, types, instances: ['east'], strategies, review });

async function directoryWith(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = join(oneOfMany('muster-specs-'), 'templates');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  return directory;
}

const ways: readonly (readonly [string, string])[] = [
  ['launch_template_spec_file: specs/lt.json', 'launch_template_spec'],
  ['launchTemplateSpecFile: specs/lt.json', 'launch_template_spec'],
  ['launch_template_spec: specs/lt.yaml', 'launch_template_spec'],
  ['launchTemplateSpec: ./specs/../specs/lt.yaml', 'launch_template_spec'],
  ['provider_api_spec_file: specs/linked.json', 'provider_api_spec'],
  ['provider_api_spec: specs/lt.json', 'provider_api_spec'],
];
for (const [line, field] of ways) {
  test(`a template file may say ${line}, and the template holds what is in that file`, async (t) => {
    const directory = await directoryWith({
      'specs/lt.json': '{"EbsOptimized": true}',
      'specs/lt.yaml': 'EbsOptimized: true\n',
      'templates.yaml': `- template_id: a\n  ${line}\n`,
    });
    await symlink('lt.json', join(directory, 'specs/linked.json'));
    const { layers, findings } = await read(directory);
    t.deepEqual(findings, []);
    t.deepEqual(layers[0]?.fields, { template_id: 'a', [field]: { EbsOptimized: true } });
  });
}

test("HostFactory's files name theirs by its keys, and a fleet's parameters mean EC2Fleet", async (t) => {
  const directory = await directoryWith({
    'fleet.json': '{"SpotOptions": {"AllocationStrategy": "diversified"}}',
    'lt.json': '{"EbsOptimized": true}',
    'awsprov_templates.json': JSON.stringify([
      { templateId: 'lsf', maxNumber: 1, ec2FleetConfig: 'fleet.json' },
      { templateId: 'orb', maxNumber: 1, providerApi: 'RunInstances', launch_template_spec_file: 'lt.json' },
    ]),
  });
  const { layers, findings } = await read(directory);
  t.deepEqual(findings, []);
  t.like(layers[0]?.fields, {
    provider_api: 'EC2Fleet',
    provider_api_spec: { SpotOptions: { AllocationStrategy: 'diversified' } },
  });
  t.like(layers[1]?.fields, { provider_api: 'RunInstances', launch_template_spec: { EbsOptimized: true } });
  t.false(layers.some(({ fields }) => Object.keys(fields).some((name) => name.endsWith('_file'))));
});

const broken: readonly (readonly [line: string, path: string, message: string])[] = [
  ['launch_template_spec_file: gone.json', '/launch_template_spec_file', 'DIR/gone.json cannot be read (ENOENT)'],
  ['launch_template_spec: gone.json', '/launch_template_spec', 'DIR/gone.json cannot be read (ENOENT)'],
  [
    'provider_api_spec_file: ../secret.json',
    '/provider_api_spec_file',
    "'../secret.json' lies outside of the template directory",
  ],
  [
    'provider_api_spec_file: link.json',
    '/provider_api_spec_file',
    "'link.json' lies outside of the template directory",
  ],
  [
    'provider_api_spec_file: away/secret.json',
    '/provider_api_spec_file',
    "'away/secret.json' lies outside of the template directory",
  ],
  [
    'provider_api_spec_file: /etc/hostname',
    '/provider_api_spec_file',
    "'/etc/hostname' must be relative to the template directory",
  ],
  ['provider_api_spec_file: folder', '/provider_api_spec_file', "'folder' is not a regular file"],
  ['provider_api_spec_file: .', '/provider_api_spec_file', "'.' lies outside of the template directory"],
  ['provider_api_spec_file: list.json', '/provider_api_spec_file', "'list.json' must hold an object"],
  ['provider_api_spec_file: empty.json', '/provider_api_spec_file', "'empty.json' must hold an object"],
  ['provider_api_spec_file: half.json', '/provider_api_spec_file', 'DIR/half.json:2:1: unexpected end of the file'],
  [
    'provider_api_spec_file: large.json',
    '/provider_api_spec_file',
    "'large.json' has 1048577 bytes, more than 1048576",
  ],
  ['provider_api_spec_file: 7', '/provider_api_spec_file', 'must be the name of a file'],
  [
    'launch_template_spec: {EbsOptimized: true}\n  launch_template_spec_file: good.json',
    '/launch_template_spec_file',
    'launch_template_spec is set too; remove one of the two',
  ],
  [
    'launch_template_spec: good.json\n  launch_template_spec_file: good.json',
    '/launch_template_spec_file',
    'launch_template_spec is set too; remove one of the two',
  ],
];
for (const [line, path, message] of broken) {
  test(`${line.replaceAll('\n ', ' and')}: the template is omitted from all files, and the warning has the place and the reason`, async (t) => {
    const directory = await directoryWith({
      'templates.yaml': '- template_id: a\n  image_id: ami-1\n- template_id: b\n',
      'east_templates.yaml': `- template_id: c\n- template_id: a\n  ${line}\n`,
      'good.json': '{}',
      'folder/x': '',
      'list.json': '[]',
      'empty.json': '',
      'half.json': '{"a": \n',
      'large.json': `{}${' '.repeat(1_048_575)}`,
      '../secret.json': '{"secret": 1}',
    });
    await symlink('../secret.json', join(directory, 'link.json'));
    await symlink('..', join(directory, 'away'));
    const { layers, findings } = await read(directory);
    t.deepEqual(
      layers.map(({ template_id }) => template_id),
      ['b', 'c'],
    );
    t.is(findings.length, 1);
    t.like(findings[0], {
      level: 'error',
      path,
      file: `${directory}/east_templates.yaml:${line.includes('\n') ? 4 : 3}:3`,
    });
    t.is(findings[0]?.message.replaceAll(directory, 'DIR'), `template 'a': ${message}`);
  });
}

test('a file of the most bytes that there may be is read, and names that say nothing are no names', async (t) => {
  const directory = await directoryWith({
    'large.json': `{}${' '.repeat(1_048_574)}`,
    'templates.json': JSON.stringify([
      { template_id: 'a', provider_api_spec_file: 'large.json', launch_template_spec_file: '' },
      { template_id: 'b', provider_api_spec: { x: 1 }, provider_api_spec_file: null },
    ]),
  });
  const { layers, findings } = await read(directory);
  t.deepEqual(findings, []);
  t.deepEqual(
    layers.map(({ fields }) => fields),
    [
      { template_id: 'a', provider_api_spec: {} },
      { template_id: 'b', provider_api_spec: { x: 1 } },
    ],
  );
});

test('a template directory that is a link, as in containers, holds its files', async (t) => {
  const directory = await directoryWith({
    'lt.json': '{}',
    'templates.json': '[{"template_id": "a", "launch_template_spec": "lt.json"}]',
  });
  const link = `${directory}-link`;
  await symlink(directory, link);
  const { layers, findings } = await read(link);
  t.deepEqual(findings, []);
  t.deepEqual(layers[0]?.fields, { template_id: 'a', launch_template_spec: {} });
});

test('a change of a specification file is reported', async (t) => {
  const directory = await directoryWith({ 'lt.yaml': 'a: 1\n' });
  const told = Promise.withResolvers<void>();
  // The watcher lets a process end; the test waits for it.
  const hold = setInterval(() => {}, 1000);
  using _ = watchTemplates(directory, () => told.resolve());
  await writeFile(join(directory, 'lt.yaml'), 'a: 2\n');
  await told.promise;
  clearInterval(hold);
  t.pass();
});
