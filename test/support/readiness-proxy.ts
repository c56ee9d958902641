import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * A proxy as one puts it in front of several brokers: it asks each for its `/readyz` again and again, sends calls to
 * those that are ready, in turn and over connections that stay open, and repeats none.
 */
export interface ReadinessProxy extends AsyncDisposable {
  readonly url: string;
  /** The brokers behind it, ready or not. */
  urls: readonly string[];
  /** Those that were ready when last asked. */
  readonly ready: readonly string[];
  /** How many calls went to each. */
  readonly served: ReadonlyMap<string, number>;
}

const everyMs = 100;

export async function readinessProxy(): Promise<ReadinessProxy> {
  const agent = new Agent({ keepAlive: true });
  const served = new Map<string, number>();
  let ready: readonly string[] = [];
  let turn = 0;
  const server = createServer((call, answer) => {
    const to = ready[turn++ % ready.length];
    if (to === undefined) return void answer.writeHead(502).end('No broker is ready.');
    served.set(to, (served.get(to) ?? 0) + 1);
    passOn(call, answer, to, agent);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closed = new AbortController();
  const proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    urls: [] as readonly string[],
    served,
    get ready() {
      return ready;
    },
    async [Symbol.asyncDispose]() {
      closed.abort();
      await following;
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
  const following = (async () => {
    for (; !closed.signal.aborted; await wait(everyMs)) {
      const asked = await Promise.all(proxy.urls.map(async (url) => ((await isReady(url)) ? [url] : [])));
      ready = asked.flat();
    }
  })();
  return proxy;
}

function passOn(call: IncomingMessage, answer: ServerResponse, to: string, agent: Agent): void {
  const { method, url, headers } = call;
  const passed = request(`${to}${url}`, { method, headers, agent }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    got.on('error', () => answer.destroy());
    got.pipe(answer);
  });
  passed.on('error', (error) => {
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(502).end(String(error));
  });
  call.pipe(passed);
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
