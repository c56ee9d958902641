import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { silentLog, type BrokerEvent } from '../../../core/index.ts';
import { webhook } from '../../../plugins/events-webhook/webhook.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const secret = 'a key of signatures';

interface Taken {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A receiver on loopback, whose answers a test decides. Default: 204. */
async function receiver(
  t: ExecutionContext,
  answer: (response: ServerResponse, taken: Taken) => void = (response) => void response.writeHead(204).end(),
) {
  const taken: Taken[] = [];
  const connections = new Set<unknown>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    connections.add(request.socket);
    const each = { headers: request.headers, body: Buffer.concat(chunks).toString() };
    taken.push(each);
    answer(response, each);
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook?token=x`, taken, connections };
}

const clock = new FakeClock();
const sinkTo = (url: string, more: object = {}) =>
  webhook.open({ url, secret, timeout: 1, ...more }, { name: 'hook', clock, log: silentLog });

const events = (count: number, type = 'machine.ready'): BrokerEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    seq: index + 1,
    at: 1_767_225_600_000,
    type,
    request_id: 'req-1',
    data: { text: 'größer "als"' },
  }));

test('an event is sent as JSON with its type, number and a signature that the receiver can compute again', async (t) => {
  const { url, taken, connections } = await receiver(t);
  t.is(await sinkTo(url).deliver(events(5)), 5);
  t.deepEqual(
    taken.map(({ headers }) => headers['x-muster-seq']),
    ['1', '2', '3', '4', '5'],
  );
  t.true(connections.size < 3, 'connections are used again');
  const [{ headers, body } = { headers: {}, body: '' }] = taken;
  t.like(headers, { 'content-type': 'application/json', 'x-muster-event': 'machine.ready' });
  t.deepEqual(JSON.parse(body), {
    seq: 1,
    at: '2026-01-01T00:00:00.000Z',
    type: 'machine.ready',
    request_id: 'req-1',
    actor: { interface: 'broker' },
    data: { text: 'größer "als"' },
  });
  const [, time, sum] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-muster-signature'])) ?? [];
  t.is(Number(time), Math.floor(clock.now() / 1_000));
  t.is(sum, createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'));
});

test('events of other types are not sent, and count as delivered', async (t) => {
  const { url, taken } = await receiver(t);
  const mixed = [...events(2), ...events(1, 'request.created'), ...events(1, 'machine.gone')];
  const sent = async (types: readonly string[]) => {
    taken.length = 0;
    t.is(await sinkTo(url, { types }).deliver(mixed), 4);
    return taken.map(({ headers }) => headers['x-muster-event']);
  };
  t.deepEqual(await sent(['request.created']), ['request.created']);
  t.deepEqual(await sent(['machine.*']), ['machine.ready', 'machine.ready', 'machine.gone']);
  t.deepEqual(await sent(['other']), []);
});

test('what was delivered before a failure is not sent again', async (t) => {
  const { url, taken } = await receiver(t, (response) => {
    response.writeHead(taken.length === 3 ? 500 : 200).end('thanks');
  });
  const sink = sinkTo(url);
  t.is(await sink.deliver(events(5)), 2);
  t.is(await sink.deliver(events(5).slice(2)), 3);
});

for (const [what, status, headers] of [
  ['an error of the server', 500, {}],
  ['a refusal', 403, {}],
  ['a redirection, which is not followed', 307, { location: '/elsewhere' }],
] as const)
  test(`no delivery: ${what}`, async (t) => {
    const { url, taken } = await receiver(t, (response) => void response.writeHead(status, headers).end());
    const error = await t.throwsAsync(async () => sinkTo(url).deliver(events(2)));
    t.regex(error.message, new RegExp(`^127\\.0\\.0\\.1:\\d+ answered event 1 with status ${status}\\.$`));
    t.is(taken.length, 1);
  });

test('a receiver that does not answer is left after the time-out', async (t) => {
  const { url } = await receiver(t, () => undefined);
  const error = await t.throwsAsync(async () => sinkTo(url).deliver(events(1)));
  t.regex(error.message, /^127\.0\.0\.1:\d+ did not take event 1: no answer within 1 s\.$/);
  t.notRegex(error.message, /token/);
});

test('a receiver that is not there is named by its address, without the secrets of the URL', async (t) => {
  const error = await t.throwsAsync(async () => sinkTo('http://127.0.0.1:1/hook?token=x').deliver(events(1)));
  t.regex(error.message, /^127\.0\.0\.1:1 did not take event 1: .+\.$/);
  t.notRegex(error.message, /token/);
});

test('a receiver that closes the connection is described in words', async (t) => {
  const { url } = await receiver(t, (response) => void response.destroy());
  const error = await t.throwsAsync(async () => sinkTo(url).deliver(events(1)));
  t.regex(error.message, /did not take event 1: other side closed \(UND_ERR_SOCKET\)\.$/);
});

test('an endless answer holds nothing up', async (t) => {
  const { url, taken } = await receiver(t, (response) => {
    response.writeHead(200);
    const endless = setInterval(() => response.write('x'.repeat(65_536)), 1);
    response.on('close', () => clearInterval(endless));
  });
  t.is(await sinkTo(url).deliver(events(2)), 2);
  t.is(taken.length, 2);
});

for (const [what, headers, body] of [
  ['stops', { 'content-length': 1_000 }, 'x'],
  ['cannot be unpacked', { 'content-length': 5, 'content-encoding': 'gzip' }, 'hello'],
] as const)
  test(`a success counts when the body of its answer ${what}`, async (t) => {
    const { url, taken } = await receiver(t, (response) => {
      response.writeHead(200, headers).write(body);
      if (body.length < headers['content-length']) setImmediate(() => response.destroy());
      else response.end();
    });
    t.is(await sinkTo(url).deliver(events(2)), 2);
    t.is(taken.length, 2);
  });

test('a slow receiver gets as many events of a batch as its time allows', async (t) => {
  let now = 0;
  const { url, taken } = await receiver(t, (response) => {
    now += 2_000;
    response.writeHead(200).end();
  });
  const slow = { now: () => now, monotonic: () => now, sleep: async () => {} };
  const options = { url, secret, timeout: 1 };
  const sink = webhook.open(options, { name: 'hook', clock: slow, log: silentLog });
  t.is(await sink.deliver(events(10)), 3);
  t.is(taken.length, 3);
  t.true((sink.deliver_ms ?? 0) > 5_000 + 1_000);
});
