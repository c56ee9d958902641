import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { read } from './unruly.ts';

const plugin = join(import.meta.dirname, 'unruly.ts');

/**
 * One instance, or two, that everybody shares; one caller's template has a rule of its own by which the plugin
 * breaks.
 */
async function boot(
  t: ExecutionContext,
  rules: Readonly<Record<string, string>>,
  instances: readonly string[] = ['east'],
) {
  const directory = mkdtempSync(join(tmpdir(), 'muster-charged-'));
  const stateOf = (name: string) => join(directory, name);
  const broker = await bootBroker({
    storage: 'memory',
    clock: fastClock(20),
    settings: { observe_moving_ms: 1_000 },
    templates: [
      { template_id: 'good' },
      ...Object.entries(rules).map(([template_id, rule]) => ({ template_id, rule })),
    ],
    configuration: {
      plugins: [plugin, 'default-format', 'storage-memory'],
      providers: instances.map((name, index) => ({
        name,
        type: 'unruly',
        priority: index + 1,
        config: { state: stateOf(name) },
      })),
    },
  });
  t.teardown(async () => {
    await broker.close();
    rmSync(directory, { recursive: true });
  });
  const { call, until } = broker;
  const status = async (id: string) => (await call('GET', `/requests/${id}/status`)).body;
  const ask = (template_id: string) => call('POST', '/machines/request', { template_id, machine_count: 2 });
  return {
    ...broker,
    ask,
    status,
    stateOf,
    request: async (template_id: string): Promise<string> => (await ask(template_id)).body.request_id,
    became: (id: string, wanted: string) =>
      until(async () => {
        const body = await status(id);
        return body.status === wanted && body;
      }),
    health: async (name = 'east') =>
      (await call('GET', `/providers/${name}`)).body as { readonly status: string; readonly message?: string },
  };
}

type Booted = Awaited<ReturnType<typeof boot>>;

/** Several requests of another caller, and all the while the instance is well. */
async function othersGoOn(t: ExecutionContext, broker: Booted, about: string): Promise<void> {
  for (let i = 0; i < 3; i++) {
    const { status, body } = await broker.ask('good');
    t.is(status, 200, `${about}: ${JSON.stringify(body)}`);
    await broker.became(body.request_id, 'completed');
    const { status: health, message } = await broker.health();
    t.not(health, 'unhealthy', `${about}: ${message}`);
  }
}

const ways = ['throws', 'throws-text', 'undefined', 'nonsense'];
const of = (verb: string, without: readonly string[] = []) =>
  Object.fromEntries(ways.filter((how) => !without.includes(how)).map((how) => [`${verb}-${how}`, `${verb} ${how}`]));

test('a template that cannot be reviewed is refused, and that is all', async (t) => {
  const rules = of('review');
  const broker = await boot(t, rules);
  for (const template_id of Object.keys(rules)) {
    const { status, body } = await broker.ask(template_id);
    t.is(status, 400, template_id);
    t.regex(body.detail, /review of template .*plugin 'unruly'/);
    await othersGoOn(t, broker, template_id);
  }
});

test('a request of which the plugin cannot say what it offers has failed, and that is all', async (t) => {
  const rules = of('offers', ['undefined']);
  const broker = await boot(t, rules);
  for (const template_id of Object.keys(rules)) {
    const { message } = await broker.became(await broker.request(template_id), 'failed');
    t.regex(message, /offers of template .*plugin 'unruly'/, template_id);
    await othersGoOn(t, broker, template_id);
  }
});

test('requests that the plugin cannot prepare fail with its error, and nothing else happens, for any number of them', async (t) => {
  const rules = of('prepare', ['undefined']);
  const broker = await boot(t, rules);
  const ids = await Promise.all(
    Object.keys(rules).flatMap((template_id) => [template_id, template_id, template_id].map(broker.request)),
  );
  await othersGoOn(t, broker, 'while they are tried');
  for (const id of ids) {
    const { message, fulfilment } = await broker.became(id, 'failed');
    t.regex(message, /preparation at 'east' \(Plain\) \(plugin 'unruly'\)/);
    t.deepEqual(
      fulfilment.shortfall.map(({ code }: { code: string }) => code),
      ['PREPARATION_FAILED'],
    );
  }
  await othersGoOn(t, broker, 'afterwards');
});

test('a request that one instance cannot prepare is tried at each of the others, and has failed when none can', async (t) => {
  const broker = await boot(t, { bad: 'prepare throws' }, ['east', 'west']);
  const request_id = await broker.request('bad');
  await broker.became(request_id, 'failed');
  const events = await broker.broker.store.find('event', { where: { request_id, type: 'attempt.refused' } });
  t.deepEqual(events.map(({ provider_instance }) => provider_instance).toSorted(), ['east', 'west']);
  await othersGoOn(t, broker, 'two instances');
});

for (const verb of ['launch', 'observe'] as const)
  test(`a request for which ${verb} breaks waits with what the plugin did; others at the instance have their machines`, async (t) => {
    const rules = of(verb);
    for (const [template_id, rule] of Object.entries(rules)) {
      const broker = await boot(t, { [template_id]: rule });
      const before = await broker.request('good');
      const id = await broker.request(template_id);
      await broker.became(before, 'completed');
      await othersGoOn(t, broker, template_id);
      const { status } = await broker.status(id);
      if (verb === 'launch') t.is(status, 'pending', template_id);
      const giveBack = async (machines: readonly { readonly machine_id: string }[]): Promise<string> => {
        const { body } = await broker.call('POST', '/machines/return', {
          machine_ids: machines.map(({ machine_id }) => machine_id),
        });
        return body.request_id;
      };
      // Both are looked at in the same calls from now on.
      const spoiled = verb === 'observe' ? await giveBack((await broker.became(id, 'completed')).machines) : undefined;
      const { machines } = await broker.became(before, 'completed');
      await broker.became(await giveBack(machines), 'completed');
      for (const { machine_id } of machines) t.false(read(broker.stateOf('east'))[machine_id]?.live);
      if (spoiled !== undefined) t.not((await broker.status(spoiled)).status, 'completed', template_id);
    }
  });

test('a plugin that breaks for three templates, and for none not, is charged itself', async (t) => {
  const rules = { a: 'launch throws', b: 'launch throws', c: 'launch throws' };
  const broker = await boot(t, rules, ['east', 'west']);
  const ids = await Promise.all(['a', 'a', 'b'].map(broker.request));
  for (const id of ids) await broker.until(async () => (await broker.status(id)).message.includes('lost') && true);
  t.not((await broker.health()).status, 'unhealthy');
  await broker.request('c');
  await broker.until(async () => (await broker.health()).status === 'unhealthy');
  const { provider_instance } = await broker.became(await broker.request('good'), 'completed');
  t.is(provider_instance, 'west');
});
