import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import { scenarios } from '../../plugins/cloud-simulator/knobs/scenarios.ts';

const launcher = join(import.meta.dirname, '../../host/bin/muster');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function muster(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(launcher, args, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** A simulated cloud started from the command line; ends with the test. */
async function start(
  t: ExecutionContext,
  ...args: readonly string[]
): Promise<{ child: ChildProcess; line: string; url: string }> {
  const child = spawn(launcher, ['simulator', 'start', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => child.kill());
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    return { child, line, url: /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '' };
  }
  throw new Error('The simulated cloud said nothing.');
}

async function idOfLaunch(url: string): Promise<string | undefined> {
  const credentials = { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' };
  const ec2 = new EC2Client({ endpoint: url, region: 'us-east-1', credentials, maxAttempts: 1 });
  const input = { ImageId: 'ami-1', InstanceType: 't3.micro', MinCount: 1, MaxCount: 1 } as const;
  const { Instances } = await ec2.send(new RunInstancesCommand(input));
  ec2.destroy();
  return Instances?.[0]?.InstanceId;
}

test('`simulator start` serves the SDK on a free port, prints its address and scenario, and ends at a signal', async (t) => {
  const { child, line, url } = await start(t, '--port', '0', '--scenario', 'slow-boot', '--seed', '3');
  t.is(line, `Simulated cloud on ${url}: slow-boot. ${scenarios['slow-boot']?.sentence}`);
  t.regex((await idOfLaunch(url)) ?? '', /^i-[0-9a-f]{17}$/);
  t.is(((await (await fetch(`${url}/_sim/knobs`)).json()) as { scenario: string }).scenario, 'slow-boot');
  child.kill('SIGTERM');
  t.deepEqual(await once(child, 'exit'), [0, null]);
});

test('the same seed gives the same ids, no seed others each time', async (t) => {
  const id = async (...args: readonly string[]) => idOfLaunch((await start(t, '--port', '0', ...args)).url);
  t.is(await id('--seed', '5'), await id('--seed', '5'));
  t.not(await id(), await id());
});

test('a standing clock moves only on a call', async (t) => {
  const { url } = await start(t, '--port', '0', '--clock', 'standing');
  const advance = async (ms: number) => {
    const answer = await fetch(`${url}/_sim/clock`, { method: 'POST', body: JSON.stringify({ advance_ms: ms }) });
    return Date.parse(((await answer.json()) as { now: string }).now);
  };
  const first = await advance(0);
  await idOfLaunch(url);
  t.is(await advance(0), first);
  t.is(await advance(3_600_000), first + 3_600_000);
});

test('a scenario may be a file', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'muster-scenario-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const file = join(directory, 'mine.json');
  await writeFile(file, '{"scenario": "throttled", "boot_ms": 7}');
  const { url } = await start(t, '--port', '0', '--scenario', file);
  t.like(await (await fetch(`${url}/_sim/knobs`)).json(), {
    scenario: 'throttled',
    boot_ms: 7,
    throttle: { default_buckets: true },
  });
  await writeFile(file, '{"boot_ms": -1, "bot_ms": 7}');
  const wrong = await muster('simulator', 'start', '--port', '0', '--scenario', file);
  t.is(wrong.code, 4);
  t.regex(wrong.stderr, /mine\.json: \/boot_ms: expected.*\n {4}\/bot_ms: unknown/);
});

test('what cannot be started is refused in a sentence', async (t) => {
  const unknown = await muster('simulator', 'start', '--port', '0', '--scenario', 'sunny');
  t.deepEqual([unknown.code, /no scenario 'sunny'.*chaos/.test(unknown.stderr)], [4, true], unknown.stderr);
  const open = await muster('simulator', 'start', '--port', '0', '--host', '0.0.0.0');
  t.deepEqual([open.code, /loopback/.test(open.stderr)], [4, true], open.stderr);
  const { url } = await start(t, '--port', '0');
  const taken = await muster('simulator', 'start', '--port', new URL(url).port);
  t.deepEqual([taken.code, /in use/.test(taken.stderr)], [5, true], taken.stderr);
  t.is((await muster('simulator', 'start', '--seed', '-1')).code, 2);
  t.is((await muster('simulator', 'start', '--clock', 'broken')).code, 2);
});

test('`simulator scenarios` lists each ready-made one with its sentence', async (t) => {
  const { stdout } = await muster('simulator', 'scenarios');
  for (const [name, { sentence }] of Object.entries(scenarios))
    t.true(stdout.includes(name) && stdout.includes(sentence));
});
