import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { evictableSessions, type SessionUse } from '../../../../host/mcp/sessions/session-use.ts';
import { mcpSessions } from '../../../../host/mcp/sessions/sessions.ts';

const minutes = 60_000;
const use = (client: string, used: number, more: Partial<SessionUse> = {}): SessionUse => ({
  client,
  used,
  calls: 0,
  streams: 0,
  ...more,
});
const ids = (found: readonly (readonly [string, unknown])[]) => found.map(([id]) => id);

test('sessions are forgotten after half an hour without a call', (t) => {
  const few = new Map([
    ['calling', use('a', 0, { calls: 1 })],
    ['streaming', use('a', 0, { streams: 1 })],
    ['gone', use('a', 0)],
    ['fresh', use('a', 20 * minutes)],
  ]);
  t.deepEqual(ids(evictableSessions(few, 31 * minutes, 'b')), ['gone']);
});

test('when all are taken, the client that has the most gives one up: the longest unused without a call, streaming or not', (t) => {
  const taken = new Map([
    ['theirs', use('few', 0)],
    ['calling', use('many', 1, { calls: 1 })],
    ['streaming', use('many', 2, { streams: 1 })],
    ['idle', use('many', 3)],
  ]);
  for (const client of ['new', 'few', 'many'])
    t.deepEqual(ids(evictableSessions(taken, 10, client, 4)), ['streaming'], client);
  t.deepEqual(evictableSessions(taken, 10, 'new', 5), [], 'there is room');
});

test('calls that never end do not keep other clients out', (t) => {
  const held = new Map(Array.from({ length: 4 }, (_, i) => [`s-${i}`, use('many', i, { calls: 1 })]));
  t.deepEqual(ids(evictableSessions(held, 10, 'new', 4)), ['s-0']);
  t.deepEqual(evictableSessions(held, 10, 'many', 4), []);
  const shared = new Map(
    [...held].map(([id, session], i) => [id, i % 2 === 0 ? session : { ...session, client: 'other' }]),
  );
  t.deepEqual(evictableSessions(shared, 10, 'new', 4), [], 'neither has more than half');
});

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

test('a client that holds every session, each with a stream, loses one to another client over the wire', async (t) => {
  const sessions = mcpSessions({
    execute: () => Promise.reject(new Error('nothing is carried out here')),
    most: 3,
    client: ({ headers }: IncomingMessage) => String(headers['x-client']),
  });
  const server = createServer((call, answer) => void sessions.handle(call, answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const send = (client: string, method: 'POST' | 'GET', session?: string, body?: unknown): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = {
        'x-client': client,
        'content-type': 'application/json',
        accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      };
      request({ host: '127.0.0.1', port, path: '/', method, headers, agent: false }, resolve)
        .on('error', reject)
        .end(body === undefined ? undefined : JSON.stringify(body));
    });
  const begin = async (client: string) => {
    const answer = await send(client, 'POST', undefined, hello);
    answer.resume();
    return { status: answer.statusCode, session: String(answer.headers['mcp-session-id']) };
  };
  const held = [await begin('many'), await begin('many'), await begin('many')];
  const streams = await Promise.all(held.map(({ session }) => send('many', 'GET', session)));
  t.deepEqual(
    streams.map(({ statusCode }) => statusCode),
    [200, 200, 200],
  );
  t.teardown(async () => {
    await sessions.close();
    server.closeAllConnections();
    server.close();
  });
  const newcomer = await begin('few');
  t.is(newcomer.status, 200);
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  const statuses = await Promise.all(
    [newcomer, ...held].map(async ({ session }) => (await send('x', 'POST', session, ping)).statusCode),
  );
  t.deepEqual(statuses, [200, 404, 200, 200]);
});
