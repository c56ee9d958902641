import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startSimulator } from '../../../plugins/cloud-simulator/server/start-simulator.ts';

const muster = resolve('host/bin/muster');

/** Runs a command in a pseudo terminal of `script`, and types a key whenever a text appears. */
async function atTerminal(
  t: ExecutionContext,
  command: string,
  directory: string,
  typed: readonly (readonly [RegExp, string])[],
): Promise<{ readonly screen: string; readonly code: number | null }> {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: directory,
    env: { ...process.env, AWS_ACCESS_KEY_ID: 'AKIAINIT', AWS_SECRET_ACCESS_KEY: 'secret', AWS_PROFILE: '' },
  });
  t.teardown(() => child.kill('SIGKILL'));
  let screen = '';
  let seen = 0;
  const left = [...typed];
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
    const [next] = left;
    if (next === undefined || !next[0].test(screen.slice(seen))) return;
    seen = screen.length;
    left.shift();
    // The prompt listens a moment after it is shown.
    setTimeout(() => child.stdin.write(next[1]), 300);
  });
  const [code] = await new Promise<[number | null]>((ended) => child.on('exit', (status) => ended([status])));
  return { screen, code };
}

async function place(t: ExecutionContext, key_pairs = ['ops']) {
  const directory = await mkdtemp(join(tmpdir(), 'muster-test-terminal-'));
  const simulator = await startSimulator({ knobs: { key_pairs } });
  t.teardown(async () => {
    await simulator.close();
    await rm(directory, { recursive: true, force: true });
  });
  return { directory, command: `'${muster}' init --endpoint-url ${simulator.url}` };
}

test('at a terminal init asks five questions, and Enter takes each proposal', async (t) => {
  const { directory, command } = await place(t);
  const { screen, code } = await atTerminal(t, command, directory, [
    [/Region:/, '\r'],
    [/Profile/, '\r'],
    [/Network of/, '\r'],
    [/Image of/, '\r'],
    [/Key pair/, '\r'],
  ]);
  t.is(code, 0, screen);
  t.regex(screen, /Next: muster /);
  t.deepEqual((await readdir(directory)).toSorted(), ['muster.config.yaml', 'templates.yaml']);
});

test('Ctrl-C at any question ends init with one sentence, and nothing is written', async (t) => {
  const { directory, command } = await place(t);
  for (const typed of [
    [[/Region:/, '\u0003']],
    [
      [/Region:/, '\r'],
      [/Profile/, '\r'],
      [/Network of/, '\u0003'],
    ],
  ] as const) {
    const { screen, code } = await atTerminal(t, command, directory, typed);
    t.is(code, 130, screen);
    t.regex(screen, /No configuration and no templates were written\./);
    t.notRegex(screen, /Error|at file:/);
    t.deepEqual(await readdir(directory), []);
  }
});

test('a terminal does not obey names in the account', async (t) => {
  const { directory, command } = await place(t, ['ops\u202eyek terces']);
  const { screen, code } = await atTerminal(t, command, directory, [
    [/Region:/, '\r'],
    [/Profile/, '\r'],
    [/Network of/, '\r'],
    [/Image of/, '\r'],
    [/Key pair/, '\r'],
  ]);
  t.is(code, 0, screen);
  t.regex(screen, /ops yek terces/);
  t.notRegex(screen, /\u202e/);
});
