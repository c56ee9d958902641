import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { loadConfiguration } from '../../../../config/load.ts';
import { configurationDirectory } from '../../../../config/sources/search-places.ts';
import { runCli } from '../../../support/run-cli.ts';

const exec = promisify(execFile);

test('bash completes commands, options, values and files', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'muster-completion-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const script = join(directory, 'script');
  writeFileSync(script, (await runCli(['completion', 'bash'])).out);
  const completed = async (...words: string[]): Promise<string[]> => {
    const asked = `source '${script}'; COMP_WORDS=(muster ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _muster; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return (await exec('bash', ['-c', asked], { cwd: directory })).stdout.split('\n').filter(Boolean);
  };
  t.deepEqual(await completed('tem'), ['templates']);
  t.deepEqual(await completed('requests', 'cr'), ['create', 'create-selected']);
  t.deepEqual(await completed('requests', 'create', 'small', '--wa'), ['--wait', '--wait-timeout']);
  t.deepEqual(await completed('requests', 'list', '--output', ''), ['table', 'json', 'yaml']);
  t.deepEqual(await completed('requests', 'list', '--status', 'c'), ['completed', 'cancelled']);
  t.deepEqual(await completed('templates', 'create', '--file', 'scr'), ['script']);
  t.deepEqual(await completed('requests', 'cancel', '--reason', ''), [], 'a value of its own');
});

test('the scripts for zsh and fish name every command', async (t) => {
  for (const shell of ['zsh', 'fish']) {
    const { code, out } = await runCli(['completion', shell]);
    t.is(code, 0);
    for (const command of ['requests create', 'server restart', 'config validate', 'simulator start'])
      t.true(out.includes(`'${command}'`), `${shell}: ${command}`);
  }
  t.is((await runCli(['completion', 'sh'])).code, 2);
});

test('the directory of the configuration is found as the configuration itself is', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'muster-search-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  const deep = join(root, 'project/a/b');
  mkdirSync(deep, { recursive: true });
  const put = (path: string, text: string) => writeFileSync(join(root, path), text);
  const agree = async (cwd: string, expected: string) => {
    const { configuration } = await loadConfiguration({ cwd, env: {} });
    t.is(join(configurationDirectory(cwd), 'data'), configuration.data_directory);
    t.is(configurationDirectory(cwd), expected);
  };
  await agree(deep, deep);
  put('muster.config.json', '{}');
  await agree(deep, root);
  put('project/package.json', '{}');
  await agree(deep, deep);
  put('project/package.json', '{"muster": {}}');
  await agree(deep, join(root, 'project'));
  put('project/a/.musterrc', '{}');
  await agree(deep, join(root, 'project/a'));
});
