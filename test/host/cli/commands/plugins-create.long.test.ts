import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execCli, runCli } from '../../../support/run-cli.ts';

const root = resolve(import.meta.dirname, '../../../..');
const written = /^ {2}async (launch|observe|release)\(.*\) \{\n([^]*?)^ {2}\},$/gm;

function folder(t: ExecutionContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'muster-create-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** What the three functions of a provider's module say. */
const bodies = (text: string) => new Map([...text.matchAll(written)].map(([, verb = '', body = '']) => [verb, body]));

test('a new provider has its three functions to be written; with them it passes what the contract asks for, without them it does not', async (t) => {
  const cwd = folder(t);
  const made = await execCli(['plugins', 'create', 'provider', 'blue-moon'], { cwd });
  t.is(made.code, 0, made.err);
  t.regex(made.out, /blue-moon\/index\.ts[^]*muster plugins test \.\/blue-moon/);
  const directory = join(cwd, 'blue-moon');
  const index = join(directory, 'index.ts');
  const scaffold = readFileSync(index, 'utf8');
  t.regex(scaffold, /type: 'blue-moon'[^]*const machines[^]*SessionOf<typeof blueMoon>/);
  t.notRegex(
    scaffold +
      readFileSync(join(directory, 'README.md'), 'utf8') +
      readFileSync(join(directory, 'package.json'), 'utf8'),
    /my-?cloud/i,
  );

  const checked = await execCli(['plugins', 'check', './blue-moon', '--output', 'json'], { cwd });
  t.is(checked.code, 0, checked.out);
  t.like(JSON.parse(checked.out).plugins[0], {
    status: 'ok',
    provider_types: ['blue-moon'],
    provider_apis: ['Machines'],
  });

  const unwritten = await execCli(['plugins', 'test', 'blue-moon'], { cwd });
  t.is(unwritten.code, 1);
  t.regex(unwritten.out, /launch is not written yet/);

  const example = bodies(readFileSync(join(root, 'docs/examples/provider-http/index.ts'), 'utf8'));
  t.deepEqual([...example.keys()], ['launch', 'observe', 'release']);
  let filled = scaffold;
  for (const [verb, body] of bodies(scaffold)) filled = filled.replace(body, () => example.get(verb) ?? '');
  writeFileSync(index, filled);
  const passed = await execCli(['plugins', 'test', 'blue-moon'], { cwd });
  t.is(passed.code, 0, passed.out);
  t.regex(passed.out, /fail 0\n/);
  t.true(Number(/pass (\d+)\n/.exec(passed.out)?.[1]) > 30, passed.out);
});

test('a folder that is in use, and a name that could not be one, are refused before anything is written', async (t) => {
  const cwd = folder(t);
  writeFileSync(join(cwd, 'mine.txt'), 'mine');
  const taken = await runCli(['plugins', 'create', 'provider', 'blue-moon', '--directory', cwd]);
  t.is(taken.code, 4);
  t.regex(taken.err, /There is something in .* already\. Name another folder with --directory\./);
  for (const name of ['Blue', '../up', 'a--b', '1st', 'a_b', '-a', 'x'.repeat(61)]) {
    const refused = await runCli(['plugins', 'create', 'provider', '--directory', join(cwd, 'new'), '--', name]);
    t.is(refused.code, 4, name);
    t.regex(refused.err, /cannot be the name of a provider/);
  }
  t.false(existsSync(join(cwd, 'new')));
  t.is((await runCli(['plugins', 'create', 'elephant', 'x'])).code, 2);
});

test('the tests of a folder without any are refused', async (t) => {
  const cwd = folder(t);
  const { code, err } = await runCli(['plugins', 'test', cwd]);
  t.is(code, 3);
  t.regex(err, /There are no tests in .*test: name them \*\.test\.ts\./);
});
