import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Log } from '../../../core/index.ts';
import { bootBroker } from '../../support/boot-broker.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { read } from './unruly.ts';
import { variants } from '../../support/variants.ts';

const plugin = join(import.meta.dirname, 'unruly.ts');

interface Cell {
  readonly name: string;
  readonly verb: string;
  readonly how: string;
}

const cellsOf = (verbs: readonly string[], ways: readonly string[], legal: readonly string[] = []): Cell[] =>
  verbs
    .flatMap((verb) => ways.map((how) => ({ name: `${verb.toLowerCase()}-${how}`, verb, how })))
    .filter(({ name }) => !legal.includes(name));

/** What breaks for one template is charged to its requests; for three, and for none not, to the instance. */
const more = (name: string): readonly string[] => [`${name}-b`, `${name}-c`];

/** A broker with one instance for each way to misbehave, and a good one. */
async function boot(
  t: ExecutionContext,
  cells: readonly Cell[],
  options: { readonly settings?: object; readonly log?: Log } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'muster-unruly-'));
  const stateOf = (name: string) => join(directory, name);
  const instances = ['good', ...cells.map(({ name }) => name)];
  for (const { name, verb, how } of cells) writeFileSync(`${stateOf(name)}.rule`, `${verb} ${how}`);
  const broker = await bootBroker({
    storage: 'memory',
    clock: fastClock(20),
    templates: instances.flatMap((name) =>
      [name, ...more(name)].map((template_id) => ({ template_id, provider_name: name, state: stateOf(name) })),
    ),
    settings: { observe_moving_ms: 1_000, ...options.settings },
    ...(options.log ? { log: options.log } : {}),
    configuration: {
      plugins: [plugin, 'default-format', 'storage-memory'],
      providers: instances.map((name) => ({ name, type: 'unruly', config: { state: stateOf(name) } })),
    },
  });
  t.teardown(async () => {
    await broker.close();
    rmSync(directory, { recursive: true });
  });
  const { call, until } = broker;
  return {
    ...broker,
    stateOf,
    cure: () => cells.forEach(({ name }) => rmSync(`${stateOf(name)}.rule`, { force: true })),
    async request(name: string): Promise<string> {
      const { body } = await call('POST', '/machines/request', { template_id: name, machine_count: 2 });
      return body.request_id as string;
    },
    /** Of the three templates of each. */
    requestAll: (names: readonly string[]): Promise<string[][]> =>
      Promise.all(
        names.map((name) =>
          Promise.all(
            [name, ...more(name)].map(async (template_id) => {
              const { body } = await call('POST', '/machines/request', { template_id, machine_count: 2 });
              return body.request_id as string;
            }),
          ),
        ),
      ),
    status: async (id: string) => (await call('GET', `/requests/${id}/status`)).body,
    completed: (id: string) =>
      until(async () => {
        const { body } = await call('GET', `/requests/${id}/status`);
        return body.status === 'completed' && body;
      }),
    health: async (name: string) =>
      (await call('GET', `/providers/${name}`)).body as { readonly status: string; readonly message?: string },
  };
}

type Booted = Awaited<ReturnType<typeof boot>>;

async function goodServes(t: ExecutionContext, { request, completed, call, health }: Booted): Promise<void> {
  const { machines } = await completed(await request('good'));
  t.is(machines.length, 2);
  t.is(
    (
      await call('POST', '/machines/return', {
        machine_ids: machines.map((each: { machine_id: string }) => each.machine_id),
      })
    ).status,
    200,
  );
  t.is((await health('good')).status, 'healthy');
}

/** Everything that was started for a request was started once, and is gone. */
const balanced = ({ stateOf }: Booted, name: string): boolean => {
  const machines = Object.values(read(stateOf(name)));
  return machines.length === 6 && machines.every(({ live }) => !live);
};

const hows = ['throws', 'undefined', 'nonsense', 'throws-text', 'throws-circle', 'throws-unreadable'];

test('a plugin that throws or returns invalid answers harms its own instance only, and no machine is lost or doubled', async (t) => {
  const cells = cellsOf(['connect', 'identity', 'launch', 'observe'], variants(hows, 3), [
    'connect-undefined',
    'connect-nonsense',
  ]);
  const broker = await boot(t, cells);
  const ids = await broker.requestAll(cells.map(({ name }) => name));
  await goodServes(t, broker);
  for (const { name, how } of cells) {
    // A replay and the observation come by themselves; in between others of its calls may do well.
    const { message } = await broker.until(async () => {
      const found = await broker.health(name);
      return found.status === 'unhealthy' && found;
    });
    t.true(message?.includes(`'${name}'`), `${name}: ${message}`);
    t.regex(message ?? '', /plugin 'unruly'/, name);
    t.regex(
      message ?? '',
      how.startsWith('throws') ? / failed: / : / broke its contract: .*; the contract requires /,
      name,
    );
  }
  broker.cure();
  for (const [index, { name }] of cells.entries()) {
    for (const id of ids[index] ?? []) {
      const { machines } = await broker.completed(id);
      await broker.call('POST', '/machines/return', {
        machine_ids: machines.map((each: { machine_id: string }) => each.machine_id),
      });
    }
    await broker.until(async () => (await broker.health(name)).status === 'healthy');
  }
  for (const { name } of cells) await broker.until(async () => balanced(broker, name));
  t.pass();
});

test('a plugin that throws or gives nonsense on the way back costs its own instance only, and the machines go once it behaves', async (t) => {
  const cells = cellsOf(['release', 'dispose'], variants(hows, 3));
  const broker = await boot(t, cells);
  const ids = await broker.requestAll(cells.map(({ name }) => name));
  for (const id of ids.flat()) {
    const { machines } = await broker.completed(id);
    await broker.call('POST', '/machines/return', {
      machine_ids: machines.map((each: { machine_id: string }) => each.machine_id),
    });
  }
  for (const { name } of cells) {
    const { message } = await broker.until(async () => {
      const found = await broker.health(name);
      return found.status === 'unhealthy' && found;
    });
    t.regex(message ?? '', /plugin 'unruly'/, name);
  }
  await goodServes(t, broker);
  broker.cure();
  for (const { name } of cells) {
    await broker.until(async () => balanced(broker, name));
    await broker.until(async () => (await broker.health(name)).status === 'healthy');
  }
});

test('a plugin that fails or never ends while it is asked what it has is unhealthy with the reason', async (t) => {
  const cells = [
    ...cellsOf(['places', 'machineTypes', 'owned'], ['throws', 'nonsense']),
    { name: 'endless', verb: 'machineTypes', how: 'endless' },
    { name: 'endless-owned', verb: 'owned', how: 'endless' },
  ];
  const broker = await boot(t, cells, {
    settings: { discovery_first_ms: 200, sweep_first_ms: 3_000, sweep_ms: 5_000 },
  });
  const ids = await Promise.all(cells.map(({ name }) => broker.request(name)));
  for (const id of ids) await broker.completed(id);
  for (const { name } of cells) {
    const { message } = await broker.until(async () => {
      const found = await broker.health(name);
      return found.status === 'unhealthy' && found;
    });
    t.regex(message ?? '', /plugin 'unruly'/, name);
  }
  await goodServes(t, broker);
});

test('an error that a plugin throws in an HTTP call is an answer with a message, and a line in the log', async (t) => {
  const ways = ['throws', 'throws-circle', 'throws-unreadable', 'promises', 'nonsense'];
  const cells = cellsOf(['review', 'offers', 'serves', 'presumedPlaces', 'machineTypeOf'], ways);
  const told: string[] = [];
  const hear = (_: unknown, message: string) => void told.push(message);
  const broker = await boot(t, cells, {
    log: { debug: () => undefined, info: () => undefined, warn: hear, error: hear },
  });
  const { call } = broker;
  for (const how of ways) {
    const review = await call('POST', '/machines/request', { template_id: `review-${how}`, machine_count: 1 });
    t.is(review.status, 400);
    t.regex(review.body.detail, /review of template .*plugin 'unruly'/);
    const serves = await call('POST', '/machines/request', { template_id: `serves-${how}`, machine_count: 1 });
    t.true(serves.status >= 400 && serves.status < 500, JSON.stringify(serves.body));
    const places = await call('GET', `/providers/presumedplaces-${how}/capabilities`);
    t.deepEqual([places.status, places.body.regions], [200, []]);
    const id = await broker.request(`offers-${how}`);
    const ended = await broker.until(async () => {
      const { body } = await call('GET', `/requests/${id}/status`);
      return body.status === 'failed' && body;
    });
    t.regex(JSON.stringify(ended.fulfilment), /offers of template .*plugin 'unruly'/);
  }
  t.is((await call('GET', '/templates/?limit=500')).status, 200);
  for (const verb of ['review', 'offers', 'serves', 'presumed places', 'machine type'])
    t.true(
      told.some((line) => line.includes(verb) && line.includes("plugin 'unruly'")),
      verb,
    );
  await goodServes(t, broker);
});
