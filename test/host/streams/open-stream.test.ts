import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { OpenStream } from '../../../host/streams/open-stream.ts';
import { Turns } from '../../../host/streams/turns.ts';

/** A stream over a real connection, and what its reader gets. */
async function connected(t: ExecutionContext) {
  const now = () => performance.now();
  const server: Server = createServer();
  t.teardown(() => server.closeAllConnections());
  t.teardown(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = once(server, 'request');
  const answered = once(
    get({ port, host: '127.0.0.1' }).on('error', () => undefined),
    'response',
  );
  const [, response] = (await asked) as Parameters<Parameters<typeof createServer>[1] & object>;
  const stream = new OpenStream({ response, now, turns: new Turns({ monotonic: now }), closed: () => undefined });
  response.writeHead(200);
  stream.write('begin\n');
  const [answer] = (await answered) as [IncomingMessage];
  return { stream, response, answer };
}

test('a message goes to the socket at once: it does not wait for the messages of other streams', async (t) => {
  const { stream, response } = await connected(t);
  const before = response.socket?.bytesWritten ?? 0;
  stream.write('x'.repeat(1_000));
  t.is(response.socket?.writableLength, 0);
  t.true((response.socket?.bytesWritten ?? 0) > before + 1_000);
});

test('the reader gets the messages in order, and a drained stream is told in a turn of its own', async (t) => {
  const { stream, answer } = await connected(t);
  const parts = ['one\n', 'two\n', 'three\n'];
  await new Promise<void>((resolve) => {
    stream.onDrain = () => {
      t.false(stream.blocked);
      const next = parts.shift();
      if (next === undefined) return resolve();
      stream.write(next);
      t.true(stream.blocked);
    };
    stream.write('begin again\n');
  });
  stream.end();
  let text = '';
  for await (const part of answer) text += String(part);
  t.is(text, 'begin\nbegin again\none\ntwo\nthree\n');
});
