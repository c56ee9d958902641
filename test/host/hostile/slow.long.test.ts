import { subscribe } from 'node:diagnostics_channel';
import { createServer, type Socket } from 'node:net';
import test from 'ava';
import { ConnectionReceiver } from '../../../host/cluster/connection-receiver.ts';
import { silentLog } from '../../../core/contract/log.ts';
import { startBroker, until } from '../../support/boot-broker.ts';
import { rssMb } from '../../bench/processes/usage.ts';
import { serveBroker, type Served } from './serve.ts';
import { dial, talk } from './wire.ts';

const host = 'Host: localhost\r\n';
const whole = `GET /livez HTTP/1.1\r\n${host}\r\n`;

let server: Served;
test.before(async () => {
  server = await serveBroker({ call_timeout_s: 1 });
});
test.after.always(() => server.close());

/** Sends a piece every tenth of a second until the server has enough; what it answered, and after how long. */
async function drip(start: string, piece: string): Promise<{ readonly text: string; readonly ms: number }> {
  const { socket, ended } = await dial(server.port);
  const began = performance.now();
  socket.write(start);
  const dripping = setInterval(() => socket.write(piece), 100);
  const text = await ended;
  clearInterval(dripping);
  return { text, ms: performance.now() - began };
}

const drips: readonly (readonly [what: string, start: string, piece: string])[] = [
  ['headers', `GET /livez HTTP/1.1\r\n${host}`, 'X-A: a\r\n'],
  ['one header', `GET /livez HTTP/1.1\r\n${host}X-A: `, 'a'],
  [
    'a body',
    `POST /api/v1/templates/validate HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
    ' ',
  ],
  [
    'chunks',
    `POST /api/v1/templates/validate HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    '1\r\n \r\n',
  ],
  ['a body that nobody wants', `POST /nothing HTTP/1.1\r\n${host}Content-Length: 1000\r\n\r\n`, ' '],
  ['the headers of a second call', `${whole}GET /livez HTTP/1.1\r\n${host}`, 'X-A: a\r\n'],
  ['empty lines', '\r\n', '\r\n'],
];
for (const [what, start, piece] of drips) {
  test(`a caller whose ${what} arrive byte by byte is disconnected at the time-out, with the reason`, async (t) => {
    const { text, ms } = await drip(start, piece);
    t.true(ms > 900 && ms < 20_000, `${ms} ms`);
    if (what === 'a body that nobody wants') t.regex(text, /^HTTP\/1\.1 404 /);
    else t.regex(text, /HTTP\/1\.1 408 .*\{"detail":"The call did not arrive in time\.","code":"INVALID_REQUEST"\}$/s);
  });
}

test('a caller that says nothing is cut off too', async (t) => {
  const { ended } = await dial(server.port);
  t.regex(await ended, /^HTTP\/1\.1 408 /);
});

test('a caller that does not take its answers is cut off', async (t) => {
  const own = await serveBroker({ call_timeout_s: 1 });
  const gone = new Promise<void>((resolve) => {
    // The caller itself does not notice: it reads nothing.
    subscribe('net.server.socket', (message) => {
      const { socket } = message as { readonly socket: Socket };
      if (socket.localPort === own.port) socket.once('close', () => resolve());
    });
  });
  const { socket } = await dial(own.port);
  socket.pause();
  // More answers than the system keeps for a connection.
  socket.write(`GET /openapi.json HTTP/1.1\r\n${host}\r\n`.repeat(100));
  const began = performance.now();
  await gone;
  const ms = performance.now() - began;
  t.true(ms > 900 && ms < 30_000, `${ms} ms`);
  socket.destroy();
  await own.close();
});

test('two hundred callers that send byte by byte do not delay others', async (t) => {
  const slow = await Promise.all(Array.from({ length: 200 }, () => dial(server.port)));
  for (const { socket } of slow) socket.write(`GET /livez HTTP/1.1\r\n${host}X-A: a`);
  const began = performance.now();
  for (let i = 0; i < 20; i += 1) t.is((await talk(server.port, whole)).answers[0]?.status, 200);
  t.true(performance.now() - began < 10_000);
  for (const { socket } of slow) socket.destroy();
});

test('connections beyond server.max_connections are closed at once, until others end', async (t) => {
  const warned: string[] = [];
  const log = { ...silentLog, warn: (_: object, text: string) => void warned.push(text) };
  const small = await serveBroker({ max_connections: 20 }, { log });
  const idle = await Promise.all(Array.from({ length: 20 }, () => dial(small.port)));
  for (let i = 0; i < 5; i += 1) t.deepEqual(await talk(small.port, whole), { answers: [], closed: true });
  t.deepEqual(warned.filter((text) => /max_connections/.test(text)).length, 1);
  idle[0]?.socket.destroy();
  const { answers } = await until(async () => {
    const talked = await talk(small.port, whole);
    return talked.answers.length > 0 && talked;
  });
  t.is(answers[0]?.status, 200);
  for (const { socket } of idle) socket.destroy();
  await small.close();
});

test('a worker bounds the connections that it is dealt, but for those of the owner, and cuts off those that are slow', async (t) => {
  const booted = await serveBroker({ call_timeout_s: 2 });
  const receiver = new ConnectionReceiver(booted.app, 2, silentLog);
  let local = false;
  const balancer = createServer({ pauseOnConnect: true }, (socket) => receiver.take(socket, local));
  await new Promise<void>((resolve) => void balancer.listen(0, '127.0.0.1', resolve));
  const { port } = balancer.address() as { readonly port: number };
  const idle = [await dial(port), await dial(port)];
  for (const { socket } of idle) socket.write('GET /livez HTTP/1.1\r\n');
  t.deepEqual(await talk(port, whole), { answers: [], closed: true });
  local = true;
  t.is((await talk(port, whole)).answers[0]?.status, 200);
  for (const { ended } of idle) t.regex(await ended, /^HTTP\/1\.1 408 /);
  balancer.close();
  await receiver.close(silentLog);
  await booted.close();
});

/** Kilobytes of an idle connection at most, with the garbage of its opening: measured are 20 to 45. */
const mostKb = 60;

test('two thousand idle connections cost little, and others are served', async (t) => {
  const count = 2_000;
  const broker = await startBroker();
  t.teardown(() => broker.stop());
  const port = Number(new URL(broker.url).port);
  t.is((await talk(port, whole)).answers[0]?.status, 200);
  const before = rssMb(broker.pid) ?? 0;
  const idle = await Promise.all(Array.from({ length: count }, () => dial(port)));
  const began = performance.now();
  t.is((await talk(port, whole)).answers[0]?.status, 200);
  t.true(performance.now() - began < 10_000);
  const after = rssMb(broker.pid) ?? 0;
  t.true(after - before < (count * mostKb) / 1024, `${before} MB, then ${after} MB`);
  for (const { socket } of idle) socket.destroy();
});
