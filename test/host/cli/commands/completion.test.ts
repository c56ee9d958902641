import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
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
  for (const name of ['my config.yaml', 'my*']) writeFileSync(join(directory, name), '');
  t.deepEqual((await completed('config', 'validate', '--config', 'my')).toSorted(), ['my config.yaml', 'my*']);
  t.deepEqual((await completed('storage', 'restore', 'my')).toSorted(), ['my config.yaml', 'my*']);
  t.deepEqual(await completed('storage', 'restore', '--rep'), ['--replace']);
});

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** Writes the script of a shell, and returns where it is. */
async function scriptOf(t: ExecutionContext, shell: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'muster-completion-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const script = join(directory, '_muster');
  writeFileSync(script, (await runCli(['completion', shell])).out);
  return script;
}

const whereIs = (shell: string) => (has(shell) ? test : test.skip);

whereIs('fish')('fish completes commands, options and values', async (t) => {
  const script = await scriptOf(t, 'fish');
  const env = { ...process.env, HOME: dirname(script), XDG_CONFIG_HOME: dirname(script) };
  const completed = async (line: string): Promise<string[]> => {
    const { stdout } = await exec('fish', ['-c', `source '${script}'; complete -C '${line}'`], { env });
    return stdout.split('\n').flatMap((each) => each.split('\t')[0] || []);
  };
  t.deepEqual(await completed('muster tem'), ['templates']);
  t.deepEqual((await completed('muster requests cr')).toSorted(), ['create', 'create-selected']);
  t.true((await completed('muster requests create small --wa')).includes('--wait'));
  t.deepEqual((await completed('muster requests list --output ')).toSorted(), ['json', 'table', 'yaml']);
  t.deepEqual((await completed('muster storage res')).toSorted(), ['restore']);
  t.deepEqual(await completed(`muster storage restore ${script.slice(0, -1)}`), [script]);
});

whereIs('zsh')('zsh completes commands, options and values', async (t) => {
  const script = await scriptOf(t, 'zsh');
  const completed = async (...words: string[]): Promise<string[]> => {
    // The function of the script, with a compadd that prints instead of a terminal that shows.
    const asked = [
      `compadd() { shift; print -l -- "$@" }; compdef() { : }; _files() { print FILES }`,
      `source '${script}'`,
      `words=(muster ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _muster`,
    ].join('\n');
    const { stdout } = await exec('zsh', ['-f', '-c', asked]);
    return stdout.split('\n').filter((word) => word.startsWith(words.at(-1) ?? '') && word !== '');
  };
  t.deepEqual(await completed('tem'), ['templates']);
  t.deepEqual(await completed('requests', 'cr'), ['create', 'create-selected']);
  t.deepEqual(await completed('requests', 'create', 'small', '--wa'), ['--wait', '--wait-timeout']);
  t.deepEqual(await completed('requests', 'list', '--output', ''), ['table', 'json', 'yaml']);
  t.deepEqual(await completed('templates', 'create', '--file', ''), ['FILES']);
  t.deepEqual(await completed('storage', 'restore', ''), ['FILES']);
  const parsed = await exec('zsh', ['-n', script]);
  t.is(parsed.stderr, '');
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
