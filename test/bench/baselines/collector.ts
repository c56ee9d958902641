/** A process: a collector that takes everything and keeps nothing. Tells how many bytes it got. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let bytes = 0;
const server = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  request.on('end', () => response.end());
});
process.on('message', ({ do: what }: { readonly do: 'start' | 'count' }) => {
  if (what === 'count') process.send?.({ bytes });
  else
    server.listen(0, '127.0.0.1', () =>
      process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
    );
});
process.on('disconnect', () => process.exit());
