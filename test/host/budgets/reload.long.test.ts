import { readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readServerPlace } from '../../../host/data-directory/server-place.ts';
import { endServer } from '../../support/background.ts';
import { makePlace, until } from '../../support/boot-broker.ts';
import { postgresServer } from '../../support/postgres-server.ts';
import { execCli } from '../../support/run-cli.ts';

async function placed(t: ExecutionContext, budgets: readonly object[], server: object = {}, more: object = {}) {
  const configuration = { budgets, server: { port: 0, rate_limit: { enabled: false }, ...server }, ...more };
  const place = await makePlace({ configuration });
  const data = join(place.directory, 'data');
  const file = join(place.directory, 'muster.config.json');
  t.teardown(async () => {
    // In order: the workers of a server that is killed may write to its directory while that is removed.
    await execCli(['server', 'stop'], { cwd: place.directory });
    await endServer(data);
    await place.close();
  });
  const call = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> => {
    const answer = await fetch(`http://127.0.0.1:${readServerPlace(data)?.port}/api/v1${path}`, {
      method,
      // A connection of its own, so that each worker gets some of the calls.
      headers: { 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    call,
    file,
    place: join(data, 'server.json'),
    pid: () => readServerPlace(data)?.pid ?? 0,
    muster: (...args: string[]) => execCli(args, { cwd: place.directory }),
    configure: (changed: object) =>
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...changed })),
    ask: (machine_count: number) => call('POST', '/requests/', { template_id: 'small', machine_count }),
  };
}

/** The processes that a server started. */
const workersOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/** Whether a process was sent a signal that it has not taken yet, because it is suspended. */
const isPending = (pid: number, signal: number): boolean => {
  const pending = /^ShdPnd:\s*(?<mask>\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.groups?.['mask'];
  return ((BigInt(`0x${pending ?? 0}`) >> BigInt(signal - 1)) & 1n) === 1n;
};

const all = (max_machines: number) => ({ name: 'all', max_machines });

test('a reload applies changed, new and removed budgets to requests and to the loop, and ends nothing', async (t) => {
  const { call, ask, muster, configure, pid } = await placed(t, [all(3)]);
  t.is((await muster('server', 'start')).code, 0);
  const server = pid();
  const { body } = await ask(3);
  const status = async () => (await call('GET', `/requests/${body.request_id}`)).body;
  await until(async () => (await status()).status === 'completed');
  t.is((await ask(1)).status, 409);

  configure({ budgets: [all(2)] });
  const lowered = await muster('server', 'reload');
  t.deepEqual([lowered.code, lowered.err], [0, '']);
  t.is(lowered.out, `The server (pid ${server}) uses the changed budgets from now on.\n`);
  const [budget] = (await call('GET', '/budgets/')).body.budgets;
  t.deepEqual(budget.limits, [{ limit: 'max_machines', max: 2, used: 3, near: true, exceeded: true }]);
  t.regex((await ask(1)).body.error.message, /allows 2 machines; 3 machines are used/);
  // The loop looks at budgets every ten seconds, and reports those that are nearly used.
  await until(async () => (await call('GET', '/events/?type=budget.nearly_used')).body.events.length > 0, 20_000);
  t.is((await status()).machines.filter((each: any) => each.status === 'running').length, 3);

  configure({ budgets: [{ name: 'new', match: { template_id: 'small' }, max_vcpus: 8 }] });
  t.is((await muster('server', 'reload')).code, 0);
  t.is((await ask(2)).status, 409, 'the new budget counts what ran before it: six of eight vCPUs');
  t.is((await ask(1)).status, 201, 'the removed budget refuses nothing any more');
  t.is(pid(), server, 'the server is the same process');
});

test('a reload says what needs a restart, and takes over nothing of a configuration that is wrong', async (t) => {
  const { ask, muster, configure, file, pid } = await placed(t, [all(1)]);
  const none = await muster('server', 'reload');
  t.is(none.code, 5);
  t.regex(none.err, /^No server runs on the data directory /);
  t.is((await muster('server', 'start')).code, 0);
  const unchanged = await muster('server', 'reload');
  t.is(unchanged.out, `The configuration of the server (pid ${pid()}) has not changed.\n`);

  const good = readFileSync(file, 'utf8');
  configure({ budgets: [all(9), { name: 'all', max_machines: 'many' }] });
  const wrong = await muster('server', 'reload');
  t.is(wrong.code, 4, wrong.out);
  t.regex(
    wrong.err,
    /budgets[\s\S]*The configuration was not changed: the server \(pid \d+\) continues with the one that it has\.\n$/,
  );
  t.is((await ask(2)).status, 409);

  writeFileSync(file, good);
  configure({ budgets: [all(2)], usage: { tags: ['team'] } });
  const both = await muster('server', 'reload');
  t.is(
    both.out,
    `The server (pid ${pid()}) uses the changed budgets from now on.\nChanges of usage take effect with: muster server restart\n`,
  );
  t.is((await ask(2)).status, 201);
  const again = await muster('server', 'reload');
  t.is(again.out, 'Changes of usage take effect with: muster server restart\n', 'it is said until it is done');
});

test('a server that does not know the signal is not sent it, and one that ends meanwhile is reported', async (t) => {
  const { muster, place, pid } = await placed(t, [all(1)]);
  t.is((await muster('server', 'start')).code, 0);
  const server = pid();
  const kept = readFileSync(place, 'utf8');
  for (const [changed, why] of [
    [{ start: undefined }, 'was started by another program'],
    [{ version: '0.0.1' }, 'runs muster 0.0.1, this is '],
  ] as const) {
    writeFileSync(place, JSON.stringify({ ...JSON.parse(kept), ...changed }));
    const refused = await muster('server', 'reload');
    t.is(refused.code, 4);
    t.true(refused.err.includes(`The server (pid ${server}) ${why}`), refused.err);
    t.true(refused.err.includes(': restart it for a change of its configuration.'), refused.err);
  }
  writeFileSync(place, kept);
  t.is(await muster('server', 'status').then(({ code }) => code), 0, 'it runs on');
  process.kill(server, 'SIGSTOP');
  const reloading = muster('server', 'reload');
  await until(async () => isPending(server, constants.signals.SIGUSR2));
  process.kill(server, 'SIGKILL');
  const { code, err } = await reloading;
  t.is(code, 1);
  t.is(
    err,
    `muster: the server (pid ${server}) ended before it said what came of it; muster server logs shows why.\n`,
  );
});

test('a reload reaches each worker, and the worker that replaces one', async (t) => {
  const { call, ask, muster, configure, pid } = await placed(t, [all(1)], { workers: 2 });
  t.is((await muster('server', 'start')).code, 0);
  configure({ budgets: [all(5)] });
  t.is((await muster('server', 'reload')).code, 0);
  const seen = async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => call('GET', '/budgets/')));
    return new Set(answers.map(({ body }) => body.budgets[0].limits[0].max));
  };
  t.deepEqual(await seen(), new Set([5]));
  const [worker = 0] = workersOf(pid());
  process.kill(worker, 'SIGKILL');
  await until(async () => workersOf(pid()).length === 2 && !workersOf(pid()).includes(worker));
  for (let i = 0; i < 10; i += 1) t.deepEqual(await seen(), new Set([5]));
  t.is((await ask(5)).status, 201);
  t.is((await ask(1)).status, 409);
  const [hung = 0] = workersOf(pid());
  process.kill(hung, 'SIGSTOP');
  t.teardown(() => process.kill(hung, 'SIGCONT'));
  configure({ budgets: [all(6)] });
  t.is((await muster('server', 'reload')).code, 0);
  t.regex((await muster('server', 'logs')).out, /Worker [12] has not confirmed the changed budgets/);
});

test('of two brokers on one database each uses its own budgets from its reload on, against what both hold', async (t) => {
  const database = await postgresServer();
  t.teardown(() => database.remove());
  const cloud = await makePlace();
  t.teardown(() => cloud.close());
  const config = { endpoint_url: cloud.simulator.url, access_key_id: 'AKIATEST', secret_access_key: 'test' };
  const shared = {
    plugins: ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'default-format', 'storage-postgres'],
    storage: { type: 'postgres', url: database.url, schema: 'shared' },
    providers: [{ name: 'east', type: 'cloud', config }],
  };
  const [first, second] = [await placed(t, [all(4)], {}, shared), await placed(t, [all(4)], {}, shared)];
  for (const { muster } of [first, second]) t.is((await muster('server', 'start')).code, 0);
  const reload = async ({ configure, muster }: typeof first, budgets: readonly object[]) => {
    configure({ budgets });
    const { code, err } = await muster('server', 'reload');
    t.deepEqual([code, err], [0, '']);
  };
  const used = async ({ call }: typeof first) => (await call('GET', '/budgets/')).body.budgets[0].limits[0].used;
  t.is((await first.ask(3)).status, 201);

  await reload(first, [all(2)]);
  t.is((await first.ask(1)).status, 409);
  t.is((await second.ask(1)).status, 201, 'the other broker was not told');
  t.is((await second.ask(1)).status, 409, 'four of its four');
  await reload(second, [all(2)]);
  t.is((await second.ask(1)).status, 409);

  // A limit that no broker had: what runs already counts, whichever broker ordered it.
  const vcpus = { name: 'vcpus', max_vcpus: 12 };
  for (const each of [first, second]) await reload(each, [vcpus]);
  await until(async () => (await used(first)) === 8 && (await used(second)) === 8);
  const answers = await Promise.all([first, second, first, second].map(({ ask }) => ask(1)));
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 409, 409], 'room for two');
  t.is((await Promise.all([first, second].map(({ ask }) => ask(1)))).filter(({ status }) => status === 201).length, 0);
});
