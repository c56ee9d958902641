import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { createConnection, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { startBroker, makePlace, until } from '../support/boot-broker.ts';
import { oneOfMany } from '../support/temporary-directory.ts';

const directory = join(import.meta.dirname, '../../docs/deploy/nginx');
// Debian has it in /usr/sbin, which is not on the path of every user.
const path = `${process.env['PATH']}:/usr/sbin:/sbin`;
const isThere = spawnSync('nginx', ['-v'], { env: { PATH: path } }).status === 0;
const onNginx = isThere ? test.serial : test.serial.skip;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Gateway {
  readonly port: number;
  call(path: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

interface CallOptions {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Null: without a password. */
  readonly as?: string | null;
  /** Ends the call with its first piece. */
  readonly onPiece?: (piece: string) => void;
}

/** The lines of upstream.conf for these brokers. */
const upstreamOf = (brokers: readonly string[]): string => {
  const lines = readFileSync(join(directory, 'upstream.conf'), 'utf8');
  return brokers.map((broker) => lines.replace('127.0.0.1:8000', broker)).join('');
};

/** nginx with the configuration of the guide: only its port, its paths and its own name are others. */
async function gateway(upstream: string): Promise<Gateway> {
  const place = oneOfMany('muster-nginx-');
  const port = await freePort();
  const own = join(place, 'muster');
  mkdirSync(own);
  execFileSync(
    'openssl',
    [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=muster.example.com'.split(
        ' ',
      ),
      '-keyout',
      join(own, 'tls.key'),
      '-out',
      join(own, 'tls.crt'),
    ],
    { stdio: 'ignore' },
  );
  const secret = createHash('sha1').update('wonderland').digest('base64');
  writeFileSync(join(own, 'users'), `alice:{SHA}${secret}\nmallory:{SHA}${secret}\n`);
  writeFileSync(join(place, 'upstream.conf'), upstream);
  const text = readFileSync(join(directory, 'muster.conf'), 'utf8')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll('/etc/nginx/muster-upstream.conf', join(place, 'upstream.conf'))
    .replaceAll('/etc/nginx/muster/', `${own}/`)
    .replace('/var/log/nginx/muster.log', join(place, 'access.log'));
  writeFileSync(join(place, 'muster.conf'), text);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${place}/${name};`)
    .join(' ');
  writeFileSync(
    join(place, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${place}/pid; error_log ${place}/error.log;
     events {} http { ${temporary} include ${place}/muster.conf; }`,
  );
  const nginx = spawn('nginx', ['-c', join(place, 'nginx.conf'), '-e', join(place, 'error.log')], {
    env: { PATH: path },
    stdio: 'inherit',
  });
  const ended = new Promise((resolve) => nginx.once('exit', resolve));
  await until(async () => {
    if (nginx.exitCode !== null) throw new Error(readFileSync(join(place, 'error.log'), 'utf8'));
    return isOpen(port);
  });
  return {
    port,
    call: (route, options = {}) => callTo(port, route, options),
    async close() {
      nginx.kill('SIGQUIT');
      const late = setTimeout(() => nginx.kill('SIGTERM'), 2_000);
      await ended;
      clearTimeout(late);
    },
  };
}

function callTo(port: number, route: string, { method, body, headers, as, onPiece }: CallOptions): Promise<Answer> {
  const user = as === undefined ? 'alice' : as;
  const given = {
    ...(user === null ? {} : { authorization: `Basic ${Buffer.from(`${user}:wonderland`).toString('base64')}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    host: 'muster.example.com',
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const call = request(
      { port, host: '127.0.0.1', path: route, method, headers: given as any, rejectUnauthorized: false },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (piece: string) => {
          text += piece;
          onPiece?.(piece);
        });
        answer.once('close', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
        if (onPiece) answer.once('data', () => setTimeout(() => call.destroy(), 500));
      },
    );
    call.once('error', reject);
    call.end(body);
  });
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  return new Promise((resolve) => {
    server.once('listening', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** What the configuration file of the gateway says that a broker needs. */
const server = {
  actor_header: 'X-Forwarded-User',
  trust_proxy: true,
  allowed_hosts: ['muster.example.com'],
  rate_limit: { enabled: false },
};

async function behind(): Promise<{
  gate: Gateway;
  broker: Awaited<ReturnType<typeof startBroker>>;
  close(): Promise<void>;
}> {
  const place = await makePlace({ configuration: { server } });
  const broker = await startBroker({ place });
  const gate = await gateway(upstreamOf([new URL(broker.url).host]));
  return {
    gate,
    broker,
    async close() {
      await gate.close();
      await broker.stop();
      await place.close();
    },
  };
}

const order = JSON.stringify({ template_id: 'small', machine_count: 1 });
const create = '/api/v1/machines/request';

onNginx('the gateway lets nobody in without a password, and the broker knows who called', async (t) => {
  const { gate, close } = await behind();
  t.teardown(close);
  t.is((await gate.call('/api/v1/templates/', { as: null })).status, 401);
  t.is((await gate.call(create, { as: null, method: 'POST', body: order })).status, 401);
  const wrong = { authorization: `Basic ${Buffer.from('alice:looking-glass').toString('base64')}` };
  t.is((await gate.call('/api/v1/templates/', { as: null, headers: wrong })).status, 401);
  t.is((await gate.call('/api/v1/templates/')).status, 200);
  const { status, text } = await gate.call(create, { method: 'POST', body: order });
  t.is(status, 200, text);
  const { request_id } = JSON.parse(text);
  const { events } = JSON.parse((await gate.call(`/api/v1/events/?request_id=${request_id}`)).text);
  t.like(events[0].actor, { interface: 'rest', name: 'alice', address: '127.0.0.1' });
});

onNginx('a caller cannot take the name or the address of another one', async (t) => {
  const { gate, close } = await behind();
  t.teardown(close);
  for (const headers of [
    { 'x-forwarded-user': 'alice' },
    { 'X-FORWARDED-USER': 'alice' },
    { 'x-forwarded-user': ['alice', 'alice'] },
    { x_forwarded_user: 'alice' },
    { 'x-forwarded-for': '10.1.2.3', forwarded: 'for=10.1.2.3;by=x', 'x-forwarded-user': 'alice' },
    { connection: 'x-forwarded-user, keep-alive', 'x-forwarded-user': 'alice' },
  ]) {
    const { status, text } = await gate.call(create, { as: 'mallory', method: 'POST', body: order, headers });
    t.is(status, 200, `${JSON.stringify(headers)}: ${text}`);
    const { request_id } = JSON.parse(text);
    const { events } = JSON.parse((await gate.call(`/api/v1/events/?request_id=${request_id}`)).text);
    t.like(events[0].actor, { name: 'mallory', address: '127.0.0.1' }, JSON.stringify(headers));
  }
});

onNginx('streams pass the gateway at once, and large bodies do not', async (t) => {
  const { gate, close } = await behind();
  t.teardown(close);
  let arrived = 0;
  const stream = gate.call('/api/v1/events/', {
    headers: { accept: 'text/event-stream' },
    onPiece: (piece) => {
      if (piece.includes('request.')) arrived ||= performance.now();
    },
  });
  await new Promise((resolve) => void setTimeout(resolve, 300));
  const asked = performance.now();
  await gate.call(create, { method: 'POST', body: order });
  const { text } = await stream;
  t.regex(text, /^id: \d+$/m);
  t.true(arrived > 0 && arrived - asked < 2_000, `${arrived - asked} ms`);
  const large = JSON.stringify({ template_id: 'small', machine_count: 1, filler: 'x'.repeat(1_100_000) });
  const refused = await gate.call(create, { method: 'POST', body: large });
  t.is(refused.status, 413);
  t.regex(String(refused.headers['server']), /nginx/, 'nginx refuses it before it reads it');
  for (const hidden of ['/metrics', '/readyz', '/livez', '/health'])
    t.is((await gate.call(hidden)).status, 404, hidden);
});

onNginx('the page is served, for the name of the gateway and no other origin', async (t) => {
  const { gate, close } = await behind();
  t.teardown(close);
  t.is((await gate.call('/ui/')).status, 200);
  const from = (origin: string) => gate.call(create, { method: 'POST', body: order, headers: { origin } });
  t.is((await from('https://muster.example.com')).status, 200);
  t.is((await from('https://elsewhere.example')).status, 403);
});

onNginx(
  'the password does not reach the broker, and a call that may have been carried out is not repeated',
  async (t) => {
    const seen: { readonly method: string; readonly headers: NodeJS.Dict<string | string[]> }[] = [];
    const upstream = createServer((call, answer) => {
      seen.push({ method: call.method ?? '', headers: call.headers });
      if (call.url?.includes('/drop')) call.socket.destroy();
      else answer.end('{}');
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    t.teardown(() => void upstream.close());
    const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const gate = await gateway(upstreamOf([host, host]));
    t.teardown(() => gate.close());
    await gate.call('/api/v1/templates/', { headers: { 'x-forwarded-host': 'evil.example' } });
    t.is(seen[0]?.headers['authorization'], undefined);
    t.is(seen[0]?.headers['x-forwarded-host'], undefined);
    t.is(seen[0]?.headers['host'], 'muster.example.com');
    const count = seen.length;
    t.is((await gate.call('/drop', { method: 'POST', body: order })).status, 502);
    t.is(seen.length, count + 1, 'once');
  },
);

onNginx('the gateway of compose starts while brokers are away, and finds one that is made anew', async (t) => {
  const port = await freePort();
  const named = new Map<string, string>();
  // The addresses of the containers are addresses of this host.
  const upstream = readFileSync(join(directory, '../compose/upstream.conf'), 'utf8').replaceAll(
    /^server 172\.30\.8\.(\d+):8000/gm,
    (_, last: string) => {
      named.set(last, `127.0.8.${last}`);
      return `server 127.0.8.${last}:${port}`;
    },
  );
  const serve = async (address: string) => {
    const server = createServer((_, answer) => answer.end(address)).listen(port, address);
    await once(server, 'listening');
    const close = () => {
      server.close();
      server.closeAllConnections();
    };
    t.teardown(close);
    return close;
  };
  const [first = '', second = '', third = ''] = named.values();
  const end = await serve(first);
  const gate = await gateway(upstream);
  t.teardown(() => gate.close());
  const answerer = async () => (await gate.call('/api/v1/templates/')).text;
  t.is(await answerer(), first);
  await serve(second);
  end();
  for (let i = 0; i < 6; i += 1) t.is(await answerer(), second, 'the others are away');
  // nginx asks one that did not answer again after five seconds.
  await serve(first);
  await serve(third);
  const seen = new Set<string>();
  await until(async () => seen.add(await answerer()).has(first) && seen.size === 3);
  t.deepEqual([...seen].toSorted(), [first, second, third]);
});

test('whether nginx is here', (t) => {
  if (!isThere) t.log('nginx is not installed: its configuration was not run (Debian: apt-get install nginx).');
  t.pass();
});
