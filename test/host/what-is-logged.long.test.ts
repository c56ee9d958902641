import { spawn } from 'node:child_process';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Log } from '../../core/contract/log.ts';
import { readServerPlace } from '../../host/data-directory/server-place.ts';
import { bootBroker, makePlace, startBroker, until, type BootOptions } from '../support/boot-broker.ts';
import { launcher } from '../support/run-cli.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, any>>;
}

async function booted(t: ExecutionContext, options: BootOptions = {}) {
  const lines: Line[] = [];
  const at = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    void lines.push({ level, fields, message });
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const broker = await bootBroker({ ...options, log });
  t.teardown(() => broker.close());
  const ends = (request_id: string) =>
    lines.filter(({ level, fields }) => level === 'info' && fields['request_id'] === request_id);
  const ask = async (template_id: string, machine_count: number): Promise<string> =>
    (await broker.call('POST', '/machines/request', { template_id, machine_count })).body.request_id;
  return { broker, lines, ends, ask };
}

test('the end of a request and of a return is one line each: what, how many, how long', async (t) => {
  const { broker, ends, ask } = await booted(t);
  const request_id = await ask('small', 2);
  const [end] = await until(async () => ends(request_id).length > 0 && ends(request_id));
  t.like(end?.fields, {
    kind: 'provision',
    status: 'completed',
    template_id: 'small',
    provider_instance: 'east',
    requested: 2,
    delivered: 2,
  });
  t.true(end?.fields['seconds'] >= 0);
  t.regex(
    end?.message ?? '',
    new RegExp(`^Request ${request_id} completed after [\\d.]+ s: 2 of 2 machines delivered\\.$`),
  );
  const { machines } = (await broker.call('GET', `/requests/${request_id}/status?long=true`)).body;
  const machine_ids = machines.map(({ machine_id }: { machine_id: string }) => machine_id);
  const returned = (await broker.call('POST', '/machines/return', { machine_ids })).body.request_id;
  const [gone] = await until(async () => ends(returned).length > 0 && ends(returned));
  t.like(gone?.fields, { kind: 'return', status: 'completed', requested: 2 });
  t.regex(
    gone?.message ?? '',
    new RegExp(`^Return ${returned} completed after [\\d.]+ s: All 2 machines are gone\\.$`),
  );
  const again = (await broker.call('POST', '/machines/return', { machine_ids })).body.request_id;
  await until(async () => ends(again).length > 0);
  // Whatever else is committed afterwards ends nothing again.
  await broker.call('GET', `/requests/${request_id}/status?long=true`);
  t.deepEqual(
    [request_id, returned, again].map((id) => ends(id).length),
    [1, 1, 1],
  );
});

test('the log line of a request contains the reason for its missing machines', async (t) => {
  const { ends, ask } = await booted(t, {
    knobs: { capacity: [{ instance_type: '*', zone: '*', market: '*', count: 1 }] },
  });
  const request_id = await ask('fleet', 4);
  const [end] = await until(async () => ends(request_id).length > 0 && ends(request_id));
  t.like(end?.fields, { status: 'completed', requested: 4, delivered: 2 });
  t.true(
    end?.fields['shortfall'].some(({ kind }: { kind: string }) => kind === 'capacity'),
    JSON.stringify(end),
  );
  t.regex(end?.message ?? '', /: 2 of 4 machines delivered\. \S+/);
});

test('at level debug every call of a provider is logged, without its input', async (t) => {
  const { lines, ends, ask } = await booted(t);
  const request_id = await ask('small', 1);
  await until(async () => ends(request_id).length > 0);
  const calls = lines.filter(({ level, fields }) => level === 'debug' && fields['provider_instance'] === 'east');
  const launch = calls.find(({ fields }) => fields['call'] === 'launch');
  t.deepEqual(Object.keys(launch?.fields ?? {}).toSorted(), ['call', 'ms', 'provider_instance']);
  const run = calls.find(({ fields }) => fields['action'] === 'RunInstances');
  t.deepEqual(Object.keys(run?.fields ?? {}).toSorted(), ['action', 'ms', 'provider_instance']);
  t.notRegex(JSON.stringify(lines), /AKIATEST/);
});

test('a failed call is logged with the kind of its fault', async (t) => {
  const { lines, ends, ask } = await booted(t, {
    knobs: { capacity: [{ instance_type: '*', zone: '*', market: '*', count: 0 }] },
  });
  const request_id = await ask('small', 1);
  await until(async () => ends(request_id).length > 0);
  t.true(
    lines.some(
      ({ level, fields }) =>
        level === 'debug' && fields['action'] === 'RunInstances' && fields['fault'] === 'capacity',
    ),
  );
});

test('a server logs its start and its end in a line each, and writes nothing else without a terminal', async (t) => {
  const broker = await startBroker({ args: ['--server-log-level', 'debug'] });
  t.teardown(() => broker.stop());
  const asked = await fetch(`${broker.url}/api/v1/machines/request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ template_id: 'small', machine_count: 1 }),
  });
  const { request_id } = (await asked.json()) as { request_id: string };
  await until(async () => broker.output.stderr.includes(`Request ${request_id} completed`));
  t.is(await broker.kill('SIGTERM'), 0);
  t.is(broker.output.stdout, '');
  const lines = broker.output.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; msg: string; action?: string });
  const told = (pattern: RegExp) => lines.filter(({ level, msg }) => level === 'info' && pattern.test(msg)).length;
  t.deepEqual(
    [
      told(/^muster \S+ answers at http:\S+ \(scheduler default, providers east\)\.$/),
      told(/^muster stops/),
      told(/^muster has stopped/),
    ],
    [1, 1, 1],
  );
  t.true(
    lines.some(({ level, action }) => level === 'debug' && action === 'RunInstances'),
    'the loop’s thread tells its calls, too',
  );
});

test('on a terminal a server says where it is, and what to try', async (t) => {
  const place = await makePlace({ configuration: { server: { port: 0 } } });
  t.teardown(() => place.close());
  // `script` gives its command a terminal; without it there is nothing to see.
  const child = spawn(
    'script',
    ['-qec', `'${launcher}' server start --foreground --server-log-level warn`, '/dev/null'],
    {
      cwd: place.directory,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const missing = await new Promise<boolean>(
    (resolve) => void child.once('error', () => resolve(true)).once('spawn', () => resolve(false)),
  );
  if (missing) return t.pass('this system has no script(1)');
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise((resolve) => void child.once('exit', resolve));
  await until(async () => /curl -s http.*\/status/.test(said));
  process.kill(readServerPlace(join(place.directory, 'data'))?.pid ?? 0, 'SIGTERM');
  await ended;
  t.regex(
    said,
    /answers at http:.*\r\n.*\r\n.*curl -s http:.*\/templates\/\r\n.*curl -s .*"template_id":"bounded".*\r\n.*curl -s .*\/status/,
  );
});
