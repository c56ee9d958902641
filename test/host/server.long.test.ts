import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request, type RequestOptions } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { makePlace, startBroker, until } from '../support/boot-broker.ts';

const body = JSON.stringify({ template_id: 'small', machine_count: 1 });

test('the process says where it is, serves on TCP and on its socket, and ends cleanly on SIGTERM', async (t) => {
  const broker = await startBroker();
  t.teardown(() => broker.stop());
  const data = join(broker.place.directory, 'data');
  t.is((await fetch(`${broker.url}/api/v1/templates/`)).status, 200);
  t.is(broker.output.stdout, '', 'what to try is for people');
  t.is(broker.output.stderr.includes('"level":"error"'), false);

  const place = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8'));
  t.like(place, { pid: broker.pid, host: '127.0.0.1', port: Number(new URL(broker.url).port), version: '0.1.0' });
  t.is(place.socket_path, join(data, 'muster.sock'));
  t.is(statSync(data).mode & 0o777, 0o700);
  t.is(statSync(place.socket_path).mode & 0o777, 0o600);
  t.is(statSync(join(data, 'server.json')).mode & 0o777, 0o600);
  t.is(await statusOf({ socketPath: place.socket_path, path: '/api/v1/templates/small' }), 200);

  t.is(await broker.kill('SIGTERM'), 0);
  t.false(existsSync(join(data, 'server.json')));
  t.false(existsSync(place.socket_path));
});

test('a call that is under way when the signal comes is answered', async (t) => {
  const broker = await startBroker();
  t.teardown(() => broker.stop());
  const socket = connect(Number(new URL(broker.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  const head = `POST /api/v1/machines/request HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  socket.write(head + body.slice(0, 10));
  await new Promise((resolve) => void setTimeout(resolve, 200));
  const ended = broker.kill('SIGTERM');
  await until(() =>
    fetch(broker.url).then(
      () => false,
      () => true,
    ),
  );
  socket.write(body.slice(10));
  await once(socket, 'close');
  t.regex(answer, /^HTTP\/1\.1 200 OK\r\n/);
  t.regex(answer, /"status":"pending"/);
  t.is(await ended, 0);
});

test('a client that keeps calling over one connection does not delay the end', async (t) => {
  const broker = await startBroker();
  t.teardown(() => broker.stop());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses = new Set<number | undefined>();
  const calling = (async () => {
    for (;;) statuses.add(await statusOf({ agent, port: new URL(broker.url).port, path: '/api/v1/templates/small' }));
  })().catch(() => undefined);
  await until(async () => statuses.size > 0);
  t.is(await broker.kill('SIGTERM'), 0);
  t.notRegex(broker.output.stderr, /Calls were still open/);
  await calling;
  t.deepEqual([...statuses], [200]);
});

test('a second server on the same data directory is refused, on any port', async (t) => {
  const broker = await startBroker();
  t.teardown(() => broker.stop());
  const error = await t.throwsAsync(startBroker({ place: broker.place }));
  t.regex(error?.message ?? '', new RegExp(`ended with 4 .*Another server \\(pid ${broker.pid}, `));
  t.is((await fetch(`${broker.url}/livez`)).status, 200);
});

test('what a killed server left behind does not hinder the next one', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const first = await startBroker({ place });
  const asked = await fetch(`${first.url}/api/v1/machines/request`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  const { request_id } = (await asked.json()) as { request_id: string };
  t.is(await first.kill('SIGKILL'), 'SIGKILL');
  t.true(existsSync(join(place.directory, 'data/muster.sock')));
  const second = await startBroker({ place });
  t.teardown(() => second.stop());
  await until(async () => {
    const status = (await (await fetch(`${second.url}/api/v1/requests/${request_id}`)).json()) as { status: string };
    return status.status === 'completed';
  });
  t.is(place.simulator.ledger().live[request_id]?.length, 1);
});

test('a 2 MB body is refused over a real connection', async (t) => {
  const broker = await startBroker();
  t.teardown(() => broker.stop());
  const answer = await fetch(`${broker.url}/api/v1/machines/request`, {
    method: 'POST',
    body: 'x'.repeat(2_000_000),
    headers: { 'content-type': 'application/json' },
  });
  t.is(answer.status, 413);
});

test('what is not HTTP is answered and ended', async (t) => {
  const broker = await startBroker();
  t.teardown(() => broker.stop());
  const socket = connect(Number(new URL(broker.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.write('nonsense\r\n\r\n');
  await once(socket, 'close');
  t.regex(answer, /^HTTP\/1\.1 400 /);
  t.regex(answer, /\{"detail":/);
});

test('a wrong configuration stops the start with every finding', async (t) => {
  const place = await makePlace({ configuration: { schedular: 'default', server: { workers: 'x' } } });
  t.teardown(() => place.close());
  const error = await t.throwsAsync(startBroker({ place }));
  t.regex(error?.message ?? '', /ended with 4 .*muster\.config\.json:1:\d+.*schedular.*did you mean 'scheduler'/s);
  t.regex(error?.message ?? '', /\/server\/workers/);
  t.false(existsSync(join(place.directory, 'data/server.json')));
});

test('a port in use and an invalid template file are reported in a sentence', async (t) => {
  const broker = await startBroker();
  t.teardown(() => broker.stop());
  const place = await makePlace();
  t.teardown(() => place.close());
  const error = await t.throwsAsync(startBroker({ place, args: ['--port', new URL(broker.url).port] }));
  t.regex(error?.message ?? '', /Port \d+ on 127\.0\.0\.1 is in use\./);
  writeFileSync(join(place.directory, 'east_templates.json'), '{"templates": [');
  const other = await startBroker({ place });
  t.teardown(() => other.stop());
  t.regex(other.output.stderr, /east_templates\.json:1:\d+/);
  t.is((await fetch(`${other.url}/api/v1/templates/small`)).status, 200);
});

test('an address that others reach is warned of', async (t) => {
  const broker = await startBroker({ args: ['--host', '0.0.0.0'] });
  t.teardown(() => broker.stop());
  t.regex(broker.output.stderr, /put an authenticating gateway in front/);
});

function statusOf(options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
}
