import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { loadConfiguration } from '../../../../config/load.ts';
import { silentLog } from '../../../../core/contract/log.ts';
import { listenOnSocket } from '../../../../host/http/listen-socket.ts';
import { createApp } from '../../../../host/rest/app.ts';
import type { RateLimits } from '../../../../host/rest/limits/rate-limits.ts';
import { bootBroker, type BootedBroker } from '../../../support/boot-broker.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

type Limits = Readonly<Record<string, unknown>>;

async function boot(t: ExecutionContext, rate_limit: Limits, server: Limits = {}): Promise<BootedBroker> {
  const broker = await bootBroker({
    storage: 'memory',
    loop: 'none',
    clock: new FakeClock(),
    configuration: { server: { ...server, rate_limit } },
  });
  t.teardown(() => broker.close());
  return broker;
}

const shown = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith('x-ratelimit-'))
      .map(([name, value]) => [name.slice('x-ratelimit-'.length), Number(value)]),
  );
const names = ['limit', 'remaining', 'reset', 'window'];

test('every route counts for the group that it belongs to, and some for none', async (t) => {
  const broker = await boot(t, {});
  const groups = new Map<string, string | undefined>();
  for (const { rest } of broker.broker.operations)
    for (const { method, path, limit } of rest === undefined ? [] : [rest].flat())
      groups.set(`${method} ${path}`, limit);
  const table = {
    provider: [
      'GET /providers/',
      'GET /providers/health',
      'GET /providers/metrics',
      'GET /providers/orphans',
      'POST /providers/orphans/end',
      'GET /providers/{provider_name}',
      'GET /providers/{provider_name}/capabilities',
      'GET /providers/{provider_name}/discover',
      'POST /providers/select',
      'GET /requests/{request_id}/provider',
      'POST /machines/reclaimed',
      'POST /providers/{provider_name}/check',
    ],
    template: [
      'GET /templates/',
      'GET /templates/{template_id}',
      'POST /templates/',
      'PUT /templates/{template_id}',
      'DELETE /templates/{template_id}',
      'POST /templates/refresh',
    ],
    request: [
      'POST /machines/request',
      'POST /machines/return',
      'POST /machines/extend',
      'POST /machines/hold',
      'POST /requests/',
      'DELETE /requests/{request_id}',
    ],
    validation: [
      'POST /templates/validate',
      'POST /templates/{template_id}/validate',
      'POST /templates/{template_id}/validate-multi',
      'POST /providers/validate',
      'POST /providers/validate-env',
      'POST /requests/plan',
    ],
    read: [
      'GET /brokers/',
      'GET /brokers/overview',
      'GET /budgets/',
      'GET /capacity/',
      'GET /events/',
      'GET /inventory/',
      'GET /inventory/{machine_id}',
      'GET /requests/',
      'GET /requests/return',
      'GET /requests/{request_id}',
      'GET /requests/{request_id}/explain',
      'GET /requests/{request_id}/status',
      'GET /requests/{request_id}/timeline',
      'GET /usage',
      'POST /requests/status',
    ],
  };
  for (const [group, routes] of Object.entries(table))
    t.deepEqual(
      [...groups]
        .filter(([, limit = 'none']) => limit === group)
        .map(([route]) => route)
        .toSorted(),
      routes.toSorted(),
      group,
    );
});

test('the groups have 100, 200, 50 and 500 calls a minute', async (t) => {
  const broker = await boot(t, {});
  const limit = async (method: 'GET' | 'POST', path: string) => shown(await broker.call(method, path)).limit;
  t.is(await limit('GET', '/providers/'), 100);
  t.is(await limit('GET', '/templates/'), 200);
  t.is(await limit('POST', '/machines/request'), 50);
  t.is(await limit('POST', '/templates/validate'), 500);
});

test('all routes of a group share one counter, in both spellings of a path, with HEAD as well', async (t) => {
  const broker = await boot(t, { template: 6 });
  const remaining = async (path: string) => shown(await broker.call('GET', path)).remaining;
  t.is(await remaining('/templates/'), 5);
  t.is(await remaining('/templates'), 4);
  t.is(await remaining('/templates/small'), 3);
  t.is(shown(await broker.call('POST', '/templates/refresh')).remaining, 2);
  t.is(shown(await broker.app.inject({ method: 'HEAD', url: '/api/v1/templates/' })).remaining, 1);
  t.is(shown(await broker.call('GET', '/providers/')).remaining, 99);
});

test('every answer of a limited route has the four headers, refusals too; other answers have none', async (t) => {
  const broker = await boot(t, {});
  const has = async (
    status: number,
    answer: Promise<{ status: number; headers: Readonly<Record<string, string>> }>,
  ) => {
    const { status: given, headers } = await answer;
    t.is(given, status);
    t.deepEqual(Object.keys(shown({ headers })).toSorted(), names);
  };
  await has(200, broker.call('GET', '/templates/small'));
  await has(404, broker.call('GET', '/templates/none'));
  await has(400, broker.call('GET', '/templates/?limit=0'));
  await has(400, broker.call('POST', '/machines/request', '{"template_id":'));
  await has(415, broker.call('POST', '/machines/request', 'a=1', { 'content-type': 'text/plain' }));
  await has(413, broker.call('POST', '/machines/request', `"${'x'.repeat(1_100_000)}"`));
  await has(404, broker.call('GET', '/requests/req-none/provider'));
  await has(200, broker.call('GET', '/requests/'));
  await has(404, broker.call('GET', '/requests/req-none/status'));
  t.deepEqual(shown(await broker.call('PATCH' as 'PUT', '/templates/')), {});
  for (const url of ['/health', '/livez', '/readyz', '/info', '/api/v1/machines/', '/nothing'])
    t.deepEqual(shown(await broker.app.inject(url)), {}, url);
});

test('the call beyond the limit is 429 in the form of its route, names the time of the next attempt, and changes nothing', async (t) => {
  const broker = await boot(t, { request: 1, provider: 1 });
  const ask = { template_id: 'small', machine_count: 1 };
  t.is((await broker.call('POST', '/machines/request', ask)).status, 200);
  const refused = await broker.call('POST', '/machines/request', ask);
  t.is(refused.status, 429);
  t.deepEqual(Object.keys(refused.body), ['detail', 'code']);
  t.regex(
    refused.body.detail,
    /^This client made 1 calls that create or end requests in 60 s, which is the limit; try again in 60 s\.$/,
  );
  t.deepEqual(Object.keys(shown(refused)).toSorted(), names);
  t.like(shown(refused), { limit: 1, remaining: 0, window: 60 });
  t.is(Number(refused.headers['retry-after']), 60);
  t.is((await broker.call('GET', '/requests/')).body.total_count, 1);

  await broker.call('GET', '/providers/');
  const coded = await broker.call('GET', '/providers/east', undefined, { 'x-request-id': 'call-1' });
  t.is(coded.status, 429);
  t.like(coded.body.error, {
    code: 'RATE_LIMITED',
    request_id: 'call-1',
    details: { group: 'provider', limit: 1, window_s: 60 },
  });
});

test('with `off` nothing is refused and no header is sent', async (t) => {
  const broker = await boot(t, { enabled: false, template: 1 });
  for (let i = 0; i < 3; i++) {
    const answer = await broker.call('GET', '/templates/small');
    t.is(answer.status, 200);
    t.deepEqual(shown(answer), {});
  }
});

test('a forwarded address counts only if a proxy is trusted', async (t) => {
  const remaining = async (broker: BootedBroker, forwarded: string) =>
    shown(await broker.call('GET', '/templates/', undefined, { 'x-forwarded-for': forwarded })).remaining;
  const open = await boot(t, { template: 9 });
  t.is(await remaining(open, '192.0.2.1'), 8);
  t.is(await remaining(open, '192.0.2.2'), 7);
  const behind = await boot(t, { template: 9 }, { trust_proxy: true });
  t.is(await remaining(behind, '192.0.2.1'), 8);
  t.is(await remaining(behind, '192.0.2.2'), 8);
  t.is(await remaining(behind, '192.0.2.1'), 7);
  t.is(await remaining(behind, 'nonsense'), 8);
  t.is(await remaining(behind, 'other nonsense'), 7);
});

test('callers on the Unix socket are not limited, with any header and any load of others', async (t) => {
  const broker = await boot(t, { template: 1 });
  const path = join(broker.place.directory, 'muster.sock');
  const socket = await listenOnSocket(path, broker.app.routing, silentLog);
  t.teardown(() => socket?.close());
  for (let i = 0; i < 3; i++) {
    const { status, headers } = await overSocket(path, '/api/v1/templates/small');
    t.is(status, 200);
    t.deepEqual(shown({ headers }), {});
  }
  await broker.call('GET', '/templates/small');
  t.is(
    (await broker.call('GET', '/templates/small', undefined, { host: 'localhost', 'x-forwarded-for': 'unix:' }))
      .status,
    429,
  );
});

test('the counters may be kept elsewhere: an answer that comes later counts as one at once, and one that fails is a failure', async (t) => {
  const { broker, place } = await boot(t, {});
  const loaded = await loadConfiguration({ cwd: place.directory, env: {} });
  t.true(loaded.configuration.server.rate_limit.enabled);
  const answers = [
    { allowed: true, limit: 7, remaining: 0, reset_at: 5, wait_s: 3 },
    { allowed: false, limit: 7, remaining: 0, reset_at: 5, wait_s: 3 },
  ];
  const asked: string[] = [];
  const limits: RateLimits = {
    async take(group, client) {
      asked.push(`${group} ${client}`);
      const answer = answers.shift();
      if (!answer) throw new Error('The first process is gone.');
      return answer;
    },
  };
  const app = createApp({ broker, limits });
  const first = await app.inject('/api/v1/templates/small');
  t.is(first.statusCode, 200);
  t.deepEqual(shown(first), { limit: 7, remaining: 0, reset: 5, window: 60 });
  t.is((await app.inject('/api/v1/templates/small')).statusCode, 429);
  t.is((await app.inject('/api/v1/templates/small')).statusCode, 500);
  t.deepEqual(asked[0], 'template 127.0.0.1');
  await app.close();
});

function overSocket(
  socketPath: string,
  path: string,
): Promise<{ status: number; headers: Readonly<Record<string, unknown>> }> {
  const { get } = process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    get({ socketPath, path, agent: false }, (answer) => {
      answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
    }).on('error', reject);
  });
}
