import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { readTemplateFiles } from '../../config/templates/template-files.ts';
import type { ProviderType } from '../../core/contract/provider/provider-type.ts';
import { TemplateReview } from '../../core/templates/review.ts';
import { cloudFields } from '../../plugins/cloud/template/fields.ts';
import { oneOfMany } from '../support/temporary-directory.ts';

const plugins = await loadPlugins(['default-format', 'hostfactory-format'], { cwd: import.meta.dirname });
const strategies = plugins.flatMap((plugin) => plugin.schedulers ?? []);
const types = [{ type: 'cloud', fields: cloudFields }] as unknown as readonly ProviderType[];
const review = new TemplateReview(types, []);
const read = (directory: string) => readTemplateFiles({ directory, types, instances: [], strategies, review });

/** A directory of templates, with odd things in it and beside it. */
async function ground(): Promise<string> {
  const top = oneOfMany('muster-odd-');
  const directory = join(top, 'templates');
  await mkdir(directory);
  await writeFile(join(top, 'secret'), 'root:hidden-text:0:0\n');
  await writeFile(join(top, 'secret.json'), '{"password": "hidden-text"}');
  await writeFile(join(top, 'boot.sh'), '#!/bin/sh\necho up\n');
  await writeFile(join(top, 'cloud.cfg'), '#cloud-config\n');
  await symlink('../secret', join(directory, 'link'));
  await symlink('/dev/zero', join(directory, 'zero'));
  await symlink('../boot.sh', join(directory, 'boot-link'));
  await symlink('loop', join(directory, 'loop'));
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  await writeFile(join(directory, 'huge'), '#!/bin/sh\n');
  await truncate(join(directory, 'huge'), 5_000_000_000);
  await writeFile(join(directory, 'plain.txt'), 'any text\n');
  return directory;
}

let directory: string;
test.before(async () => {
  directory = await ground();
});
test.after.always(() => rm(join(directory, '..'), { recursive: true, force: true }));

const outside = (name: string) =>
  `'${name}' lies outside of the template directory and is not a script: it begins neither with #! nor like cloud-init data`;

const refused: readonly (readonly [name: string, why: string])[] = [
  ['../secret', outside('../secret')],
  ['../../../../../../../etc/passwd', outside('../../../../../../../etc/passwd')],
  ['/etc/passwd', outside('/etc/passwd')],
  ['/proc/self/environ', outside('/proc/self/environ')],
  ['link', outside('link')],
  ['zero', "'zero' is not a regular file"],
  ['/dev/zero', "'/dev/zero' is not a regular file"],
  ['pipe', "'pipe' is not a regular file"],
  ['huge', "'huge' has 5000000000 bytes, more than 1048576"],
  ['.', "'.' is not a regular file"],
  ['loop', 'DIR/loop cannot be read (ELOOP)'],
  ['a\0b', 'DIR/a\0b cannot be read (ERR_INVALID_ARG_VALUE)'],
];
for (const [name, why] of refused) {
  test.serial(
    `the user data of a template cannot be ${JSON.stringify(name)}, and the content of the file is not shown`,
    async (t) => {
      await writeFile(
        join(directory, 'templates.json'),
        JSON.stringify([{ template_id: 'a', user_data_script: name }, { template_id: 'b' }]),
      );
      const { layers, findings } = await read(directory);
      t.deepEqual(
        layers.map(({ template_id }) => template_id),
        ['b'],
      );
      t.deepEqual(
        findings.map(({ message }) => message.replaceAll(directory, 'DIR')),
        [`template 'a': ${why}`],
      );
      t.notRegex(JSON.stringify({ layers, findings }), /hidden-text/);
    },
  );
}

for (const name of [
  '/proc/self/environ',
  'pipe',
  'zero',
  'huge',
  'link',
  'loop',
  '../secret.json',
  '/etc/passwd',
  'a\0b',
]) {
  test.serial(`a specification of a template is not ${JSON.stringify(name)}`, async (t) => {
    await writeFile(
      join(directory, 'templates.json'),
      JSON.stringify([{ template_id: 'a', launch_template_spec_file: name }]),
    );
    const { layers, findings } = await read(directory);
    t.deepEqual(layers, []);
    t.is(findings.length, 1);
    t.notRegex(JSON.stringify(findings), /hidden-text|HOME/);
  });
}

test.serial(
  'a script outside of the directory may be named, as HostFactory does, by its whole path or a link',
  async (t) => {
    const files = [
      join(directory, '../boot.sh'),
      '../boot.sh',
      'boot-link',
      join(directory, '../cloud.cfg'),
      'plain.txt',
    ];
    await writeFile(
      join(directory, 'templates.json'),
      JSON.stringify(files.map((user_data_script, i) => ({ template_id: `t${i}`, user_data_script }))),
    );
    const { layers, findings } = await read(directory);
    t.deepEqual(findings, []);
    t.deepEqual(
      layers.map(({ fields }) => Buffer.from(String(fields['user_data']), 'base64').toString().split('\n')[0]),
      ['#!/bin/sh', '#!/bin/sh', '#!/bin/sh', '#cloud-config', 'any text'],
    );
  },
);

test.serial('a template file that is a pipe, a device or too large is reported, and the others load', async (t) => {
  await writeFile(join(directory, 'templates.json'), '[{"template_id": "a"}]');
  for (const [name, why] of [
    ['pipe', 'it is not a regular file'],
    ['zero', 'it is not a regular file'],
    ['huge', 'it has 5000000000 bytes, more than 33554432'],
    ['/proc/self/environ', undefined],
  ] as const) {
    await rm(join(directory, 'cloud_templates.yaml'), { force: true });
    await symlink(name, join(directory, 'cloud_templates.yaml'));
    const { layers, findings, broken } = await read(directory);
    t.deepEqual(
      layers.map(({ template_id }) => template_id),
      ['a'],
    );
    t.deepEqual(broken, ['cloud_templates.yaml']);
    if (why !== undefined) t.is(findings[0]?.message, why);
    t.notRegex(JSON.stringify(findings), /HOME=/);
  }
  await rm(join(directory, 'cloud_templates.yaml'));
});
