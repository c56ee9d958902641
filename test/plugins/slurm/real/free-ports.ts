import { createServer, type Server } from 'node:net';

/** Of all clusters of this process: their daemons start later. */
const given = new Set<number>();

/**
 * Free ports of the loopback address, all different. They are below those that the system gives to connections, so
 * that a daemon that starts later still finds its port free.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held: Server[] = [];
  try {
    while (held.length < count) {
      const port = 10_000 + Math.floor(Math.random() * 20_000);
      const server = given.has(port) ? undefined : await listen(port);
      if (!server) continue;
      given.add(port);
      held.push(server);
    }
    return held.map((server) => (server.address() as { port: number }).port);
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => void server.close(resolve))));
  }
}

const listen = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
