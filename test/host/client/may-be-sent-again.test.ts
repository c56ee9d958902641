import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { mayBeSentAgain } from '../../../host/client/may-be-sent-again.ts';
import { serverClient } from '../../../host/client/server-client.ts';

const query = { kind: 'query' } as const;
const command = { kind: 'command' } as const;

/** How a call fails at a server that does `what` with it. */
async function failure(t: ExecutionContext, what: (server: Server) => Parameters<typeof createServer>[1]) {
  const server: Server = createServer((...call) => what(server)?.(...call));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const client = serverClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, 10_000);
  t.teardown(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return t.throwsAsync(client.call('list_templates', {}));
}

test('a call that no server accepted may be sent again', async (t) => {
  const client = serverClient({ url: 'http://127.0.0.1:1' }, 10_000);
  const error = await t.throwsAsync(client.call('list_templates', {}));
  await client.close();
  t.true(mayBeSentAgain(query, error));
  t.true(mayBeSentAgain(command, error));
});

test('of calls whose connection broke, a query alone may be sent again', async (t) => {
  const error = await failure(
    t,
    () =>
      ({ socket }) =>
        void socket.destroy(),
  );
  t.true(mayBeSentAgain(query, error));
  t.false(mayBeSentAgain(command, error));
});

test('a call that a server took before it closed its port is not sent again', async (t) => {
  const error = await failure(t, (server) => () => void server.close());
  t.regex(error.message, /does not answer.*the server may still execute it/);
  t.false(mayBeSentAgain(query, error));
  t.false(mayBeSentAgain(command, error));
});
