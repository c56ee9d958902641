import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CloudMachine } from '../client.ts';

/**
 * The cloud of the tests: it answers over HTTP and fails on demand. Replace its routes by those of your cloud.
 */
export async function fakeCloud() {
  const orders = new Map<string, Map<string, CloudMachine>>();
  let started = 0;
  let most = 100;
  /**
   * How the next order ends: with a status, or executed but without an answer (`lost`). `hang`: the next call of any
   * kind has no answer.
   */
  let next: number | 'lost' | 'hang' | undefined;
  const living = () => [...orders.values()].flatMap((machines) => [...machines.values()]);

  function start(id: string, count: number): readonly CloudMachine[] {
    let order = orders.get(id);
    if (!order) {
      order = new Map();
      orders.set(id, order);
      for (let i = Math.min(count, most - living().length); i > 0; i--) {
        started += 1;
        const machine = {
          id: `m-${started}`,
          name: `host-${started}`,
          address: `10.0.0.${started}`,
          started_at: new Date().toISOString(),
        };
        order.set(machine.id, { ...machine, state: 'up' });
      }
    }
    return [...order.values()];
  }

  const end = (id: string): boolean => [...orders.values()].some((machines) => machines.delete(id));

  async function answer(request: IncomingMessage): Promise<readonly [status: number, body: unknown] | undefined> {
    const [, kind, id = ''] = (request.url ?? '').split('/');
    if (next === 'hang') {
      next = undefined;
      return undefined;
    }
    if (kind === 'orders' && request.method === 'GET') return [200, [...(orders.get(id)?.values() ?? [])]];
    if (kind === 'machines') return end(id) ? [200, {}] : [404, { message: 'there is no such machine' }];
    const { count } = JSON.parse(await text(request)) as { readonly count: number };
    const wrong = next;
    next = undefined;
    if (typeof wrong === 'number') return [wrong, { message: 'the test ordered this error' }];
    if (most <= living().length && !orders.has(id)) return [409, { message: 'there is no room' }];
    const machines = start(id, count);
    return wrong === 'lost' ? [0, {}] : [200, machines];
  }

  const server = createServer(async (request, response) => {
    const [status, body] = (await answer(request)) ?? [];
    if (status === 0) response.destroy();
    else if (status !== undefined)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    living: () => living().map(({ id }) => id),
    goWrong: (how: typeof next) => void (next = how),
    leaveRoom: (machines: number) => void (most = living().length + machines),
    end,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
