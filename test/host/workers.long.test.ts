import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { callSocket } from '../support/call-socket.ts';
import { makePlace, startBroker, until, type StartedBroker, type StartOptions } from '../support/boot-broker.ts';

const post = (body: object) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

async function startWorkers(t: ExecutionContext, workers: number, options: StartOptions = {}): Promise<StartedBroker> {
  const broker = await startBroker({ ...options, args: ['--workers', String(workers), ...(options.args ?? [])] });
  t.teardown(() => broker.stop());
  return broker;
}

/** Processes that a process started itself. The simulated cloud is not among them here. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

/** Calls on connections of their own, so that each may meet another worker. */
const get = (url: string): Promise<Response> => fetch(url, { headers: { connection: 'close' } });
const pidsOf = async (url: string, times: number): Promise<Set<number>> =>
  new Set(
    await Promise.all(
      Array.from({ length: times }, async () => ((await (await get(`${url}/livez`)).json()) as { pid: number }).pid),
    ),
  );

test.serial(
  'three workers serve one port and one loop; one that is killed takes nothing with it that was acknowledged',
  async (t) => {
    const broker = await startWorkers(t, 3, {
      configuration: { server: { rate_limit: { template: 12, request: 1_000_000 } } },
    });
    const { url, pid, place } = broker;
    const data = join(place.directory, 'data');
    const workers = childrenOf(pid);
    t.is(workers.length, 3);
    t.deepEqual([...(await pidsOf(url, 12))].toSorted(), workers.toSorted());
    t.like(JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')), { pid, port: Number(new URL(url).port) });
    t.is((await callSocket(join(data, 'muster.sock'), '/info')).body.loop, 'primary');

    // Whichever worker is asked, a client is counted once, and so is a call.
    const limited = await Promise.all(
      Array.from({ length: 15 }, async () => (await get(`${url}/api/v1/templates/small`)).status),
    );
    t.deepEqual(limited.toSorted(), [...Array.from({ length: 12 }, () => 200), 429, 429, 429]);
    const counted = async (line: string) =>
      Number((await (await get(`${url}/metrics`)).text()).split(`${line} `)[1]?.split('\n')[0]);
    const answered =
      'muster_http_request_duration_seconds_count{method="GET",route="/api/v1/templates/{template_id}",status="200"}';
    t.is(await counted(answered), 12);

    const acknowledged: string[] = [];
    let killed = false;
    const [victim = 0] = workers;
    const callers = Array.from({ length: 6 }, async () => {
      while (acknowledged.length < 150) {
        // A call that was on its way to the killed one gets no answer.
        const answer = await fetch(
          `${url}/api/v1/machines/request`,
          post({ template_id: 'small', machine_count: 1 }),
        ).catch(() => undefined);
        if (answer?.ok) acknowledged.push(((await answer.json()) as { request_id: string }).request_id);
        else if (!killed) throw new Error(`A call failed before a worker was killed: ${answer?.status}`);
        if (acknowledged.length >= 40 && !killed) killed = process.kill(victim, 'SIGKILL');
      }
    });
    await Promise.all(callers);
    t.true(killed);
    for (const id of acknowledged) t.is((await get(`${url}/api/v1/requests/${id}`)).status, 200, id);
    const now = await until(async () => {
      const pids = await pidsOf(url, 9);
      return pids.size === 3 && !pids.has(victim) && pids;
    });
    t.deepEqual([...now].toSorted(), childrenOf(pid).toSorted());
    t.is(await counted(answered), 12);
    t.regex(broker.output.stderr, /Worker \d ended with SIGKILL\. The server replaces it\./);
    const total = async (filter: string) =>
      ((await (await get(`${url}/api/v1/requests/?limit=1${filter}`)).json()) as any).total_count;
    // A call that the killed one took and did not answer may have been stored: its caller would ask again with the
    // same key.
    const stored = await total('');
    t.true(stored >= acknowledged.length && stored <= acknowledged.length + 6, String(stored));
    await until(async () => (await total('&status=completed')) === stored);
    t.is(Object.keys(place.simulator.ledger().live).length, stored);
    t.is((await get(`${url}/readyz`)).status, 200);

    // A worker asks the loop to refresh and receives the time of the refresh. By itself the loop would refresh half a
    // minute later.
    // A worker that received no refresh time yet, such as a new one, sends no header.
    const observed = async () =>
      Date.parse((await get(`${url}/api/v1/requests/${acknowledged[0]}`)).headers.get('x-observed-at') ?? '');
    const before = Date.now();
    await until(async () => (await observed()) > before);

    t.is(await broker.kill('SIGTERM'), 0);
    t.deepEqual([...now].filter(isAlive), []);
    t.false(existsSync(join(data, 'server.json')));
    t.false(existsSync(join(data, 'muster.sock')));
  },
);

test.serial('whichever worker is asked, it tells the rates and the credentials of the one loop', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const file = join(place.directory, 'muster.config.json');
  const configuration = JSON.parse(readFileSync(file, 'utf8'));
  Object.assign(configuration.providers[0].config, { rate_limits: { enabled: true } });
  writeFileSync(file, JSON.stringify(configuration));
  const { url } = await startWorkers(t, 3, { place });
  const asked = await fetch(`${url}/api/v1/machines/request`, post({ template_id: 'small', machine_count: 2 }));
  const { request_id } = (await asked.json()) as { request_id: string };
  await until(
    async () => ((await (await get(`${url}/api/v1/requests/${request_id}`)).json()) as any).status === 'completed',
  );
  const workers = await pidsOf(url, 9);
  t.is(workers.size, 3);
  const answers = await Promise.all(
    Array.from(
      { length: 9 },
      async () => ((await (await get(`${url}/api/v1/providers/metrics`)).json()) as any).providers[0],
    ),
  );
  for (const { calls, rates, credentials, quarantine, quarantined_templates } of answers) {
    t.true(calls > 0);
    t.deepEqual(credentials, { source: 'static keys', expires_at: null, renewed: false });
    const limits = rates.map(({ action, counts }: any) => `${action} ${counts}`);
    t.true(limits.includes('RunInstances calls') && limits.includes('RunInstances machines'), limits.join());
    t.deepEqual([quarantine, quarantined_templates], [null, []]);
  }
});

test.serial(
  'when the first process is killed its workers end too, and the next server has port and socket',
  async (t) => {
    const broker = await startWorkers(t, 2);
    const port = new URL(broker.url).port;
    const workers = childrenOf(broker.pid);
    t.is(workers.length, 2);
    // Connections that are kept open would keep the workers too.
    const kept = Array.from({ length: 4 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    const answered = kept.map((socket) => once(socket, 'data'));
    for (const socket of kept) socket.write('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await Promise.all(answered);
    t.is(await broker.kill('SIGKILL'), 'SIGKILL');
    await until(async () => !workers.some(isAlive));
    const next = await startWorkers(t, 2, { place: broker.place, args: ['--port', port] });
    t.is((await get(`${next.url}/readyz`)).status, 200);
    t.is((await callSocket(join(broker.place.directory, 'data/muster.sock'), '/livez')).status, 200);

    const place = await makePlace();
    t.teardown(() => place.close());
    const second = await t.throwsAsync(startBroker({ place, args: ['--workers', '2', '--port', port] }));
    t.regex(second?.message ?? '', /ended with 4 .*Port \d+ on 127\.0\.0\.1 is in use\./s);
  },
);

test.serial('a storage that processes cannot share refuses workers, and a server for the API only', async (t) => {
  const place = await makePlace({ storage: 'memory' });
  t.teardown(() => place.close());
  for (const args of [['--workers', '2'], ['--api-only']]) {
    const error = await t.throwsAsync(startBroker({ place, args }));
    t.regex(
      error?.message ?? '',
      /ended with 4 .*a storage that several processes can share, and 'memory' is not one/,
    );
  }
});

test.serial('servers for the API only serve beside the one that carries requests out', async (t) => {
  const broker = await startBroker();
  t.teardown(() => broker.stop());
  const data = join(broker.place.directory, 'data');
  const before = readFileSync(join(data, 'server.json'), 'utf8');
  const beside = await startBroker({ place: broker.place, args: ['--api-only'] });
  t.teardown(() => beside.stop());
  const asked = await fetch(`${beside.url}/api/v1/machines/request`, post({ template_id: 'small', machine_count: 1 }));
  const { request_id } = (await asked.json()) as { request_id: string };
  for (const { url } of [broker, beside]) {
    await until(
      async () => ((await (await get(`${url}/api/v1/requests/${request_id}`)).json()) as any).status === 'completed',
    );
  }
  t.is(((await (await get(`${beside.url}/info`)).json()) as any).loop, 'none');
  t.is((await get(`${beside.url}/readyz`)).status, 200);
  t.is(await beside.kill('SIGTERM'), 0);
  t.is(readFileSync(join(data, 'server.json'), 'utf8'), before);
  t.is((await callSocket(join(data, 'muster.sock'), '/livez')).status, 200);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
