import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makePlace } from '../../support/boot-broker.ts';
import { execCli } from '../../support/run-cli.ts';

const template = {
  template_id: 'one',
  provider_api: 'RunInstances',
  image_id: 'ami-1',
  machine_type: 't3.small',
  subnet_ids: ['subnet-1'],
};

async function place(t: ExecutionContext) {
  const { directory, close } = await makePlace();
  t.teardown(close);
  writeFileSync(join(directory, 'given.json'), JSON.stringify(template));
  return { data: join(directory, 'data'), muster: (...args: string[]) => execCli(args, { cwd: directory }) };
}

test.serial('to validate or to list makes neither a database nor a data directory', async (t) => {
  const { data, muster } = await place(t);
  const validated = await muster('templates', 'validate', '--file', 'given.json', '-o', 'json');
  t.is(validated.code, 0, validated.err);
  t.like(JSON.parse(validated.out), { valid: true, templateId: 'one' });
  const fits = await muster('templates', 'validate-for', 'small', 'east');
  t.is(fits.code, 0, fits.err);
  t.deepEqual(JSON.parse((await muster('requests', 'list', '-o', 'json')).out).requests, []);
  t.false(existsSync(data));
});

test.serial('what is stored is what is looked at, also in a database elsewhere', async (t) => {
  const { data, muster } = await place(t);
  t.is((await muster('templates', 'create', '--file', 'given.json')).code, 0);
  t.true(existsSync(join(data, 'muster.db')));
  t.is((await muster('templates', 'show', 'one')).code, 0);
  const elsewhere = mkdtempSync(join(tmpdir(), 'muster-elsewhere-'));
  t.teardown(() => rmSync(elsewhere, { recursive: true }));
  const other = { MUSTER_STORAGE_PATH: join(data, 'muster.db'), MUSTER_DATA_DIR: join(elsewhere, 'data') };
  t.is((await execCli(['templates', 'show', 'one'], { cwd: join(data, '..'), env: other })).code, 0);
});
