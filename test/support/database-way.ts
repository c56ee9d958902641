import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be disturbed. */
export interface DatabaseWay extends Disposable {
  readonly port: number;
  /**
   * `open`: passes everything on. `silent`: takes everything and passes on nothing. `mute`: passes on what is asked,
   * and no answer. What a connection lost is not made up for: cut all before it opens again.
   */
  passes: 'open' | 'silent' | 'mute';
  /** Ends all connections. */
  cut(): void;
}

export async function databaseWay(to: number): Promise<DatabaseWay> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    near.on('data', (data) => way.passes === 'silent' || far.write(data));
    far.on('data', (data) => way.passes === 'open' && near.write(data));
    for (const [a, b] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(a);
      a.on('error', () => b.destroy());
      a.on('close', () => {
        sockets.delete(a);
        b.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => sockets.forEach((each) => each.destroy());
  const way: DatabaseWay = {
    port: (server.address() as AddressInfo).port,
    passes: 'open',
    cut,
    [Symbol.dispose]() {
      cut();
      server.close();
    },
  };
  return way;
}
