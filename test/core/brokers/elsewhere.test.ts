import test from 'ava';
import { ProviderFault, silentLog, type Log, type Template } from '../../../core/index.ts';
import { newRequestId } from '../../../core/model/ids.ts';
import { choose } from '../../../core/providers/choose.ts';
import { waitsForConnection } from '../../../core/reconciler/plan/orders/fallback-order.ts';
import { Explanations } from '../../../core/requests/explain/explanations.ts';
import { RequestService } from '../../../core/requests/request-service.ts';
import type { ScriptedCloud, Script } from '../../support/scripted-cloud.ts';
import { brokersBench } from '../../support/brokers-bench.ts';
import { noBudgets } from '../../support/no-budgets.ts';

const template = { template_id: 'small' };

test('a request is accepted for an instance that only another live broker has, and that broker works on it', async (t) => {
  const { clock, store, clouds, join, stop, interfaceWith, statuses, holds } = await brokersBench(t);
  const { directory } = await interfaceWith('east');
  const select = (key: string, provider_instance?: string) =>
    choose({ template }, { key, machine_count: 1 }, provider_instance ? { provider_instance } : {}, directory);
  await join('a', 'east');
  t.throws(() => select('k', 'west'), { message: /'west' is not in the configuration/ });
  const b = await join('b', 'west');
  await clock.advance(10_000);
  const chosen = select('k', 'west');
  t.like(chosen, { provider_instance: 'west', provider_type: 'scripted' });
  const picked = new Set(Array.from({ length: 40 }, (_, index) => select(`${index}`).provider_instance));
  t.deepEqual([...picked].toSorted(), ['east', 'west'], 'it has its share by weight');
  t.deepEqual(
    directory.selectable.map(({ name }) => name),
    ['east', 'west'],
  );
  const requests = new RequestService(store, clock, noBudgets, 100);
  await requests.create({ template, machine_count: 1 }, chosen, { request_id: 'r-west' });
  await clock.advance(10_000);
  clouds.west.boot();
  await clock.advance(5_000);
  t.deepEqual([...(await statuses(['r-west']))], ['completed']);
  t.deepEqual(await holds(), { a: 0, b: 1 });
  t.is(clouds.west.orders.length, 1);
  await stop(b);
  await clock.advance(10_000);
  t.throws(() => select('k', 'west'), { message: /'west' is not in the configuration/ });
  t.is(select('k').provider_instance, 'east');
});

test('a difference between live brokers is logged once, and again after it was gone', async (t) => {
  const { clock, joinWith, stop } = await brokersBench(t);
  const warned: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => void warned.push(message) };
  const a = await joinWith({ log }, 'a', 'east');
  a.describe({ 'templates.yaml': 'h1' });
  const b = await joinWith({}, 'b', 'east');
  b.describe({ 'templates.yaml': 'h2' });
  await clock.advance(60_000);
  t.is(warned.length, 1);
  t.regex(warned[0] ?? '', /^Template file 'templates.yaml' differs from those of the broker on b/);
  b.describe({ 'templates.yaml': 'h1' });
  await clock.advance(20_000);
  b.describe({ 'templates.yaml': 'h3' });
  await clock.advance(20_000);
  t.is(warned.length, 2);
  await stop(b);
});

/** What an interface of a host with an instance tells. */
const explain = async (
  { store, clock, interfaceWith }: Awaited<ReturnType<typeof brokersBench>>,
  instance: 'east',
): Promise<Explanations> => new Explanations(store, clock, (await interfaceWith(instance)).directory);

function haveNothing(cloud: ScriptedCloud): void {
  const none: Script = (_order, { scripts }) => {
    scripts.unshift(none);
    return new ProviderFault('capacity', 'None in east.');
  };
  cloud.scripts.push(none);
}

/** A request that any instance may serve, selected for one of them. */
async function anywhere(
  { store, clock, interfaceWith }: Awaited<ReturnType<typeof brokersBench>>,
  selected: 'east' | 'west',
  given: Template = template,
  timeout = 600,
): Promise<string> {
  const { directory } = await interfaceWith('east', 'west');
  const request_id = newRequestId();
  const chosen = choose({ template: given }, { key: request_id, machine_count: 1 }, {}, directory);
  const requests = new RequestService(store, clock, noBudgets, 100);
  const input = { template: given, machine_count: 1, timeout };
  await requests.create(input, { ...chosen, provider_instance: selected }, { request_id });
  return request_id;
}

for (const selected of ['east', 'west'] as const)
  test(`a request selected for ${selected} that lacks capacity at one instance waits for the broker of the other, which ended a moment ago`, async (t) => {
    const bench = await brokersBench(t);
    const { clock, store, clouds, join, stop } = bench;
    await join('a', 'east');
    const b = await join('b', 'east', 'west');
    await clock.advance(10_000);
    await stop(b);
    haveNothing(clouds.east);
    const request_id = await anywhere(bench, selected);
    await clock.advance(60_000);
    const waiting = await store.get('request', { request_id });
    t.not(waiting?.status, 'failed', waiting?.message);
    t.regex(waiting?.message ?? '', /No live broker has the provider instance 'west'.* waits for one/);
    const explained = await (await explain(bench, 'east')).of(request_id);
    const { because, waiting_for } = await explained.load();
    t.regex(because, /waits for a broker that has 'west' in its configuration; no live broker has it/);
    t.is(waiting_for?.what, "a broker that has 'west'");
    await join('b', 'east', 'west');
    await clock.advance(30_000);
    clouds.west.boot();
    await clock.advance(10_000);
    const ended = await store.get('request', { request_id });
    t.is(ended?.status, 'completed', ended?.message);
    t.is(clouds.west.orders.length, 1);
    t.true(clouds.east.orders.length <= 3, 'it did not keep on asking the other one');
  });

test('a request that waits until another broker has connected to its cloud is explained so', async (t) => {
  const bench = await brokersBench(t);
  const { clock, store, join } = bench;
  await join('a', 'east');
  await join('b', 'west');
  await clock.advance(10_000);
  const request_id = await anywhere(bench, 'east');
  const request = await store.get('request', { request_id });
  if (!request) return t.fail();
  // What its loop writes while 'west' has not told which account it reaches; see the test of the next step.
  const record = { ...request, message: waitsForConnection('west') };
  await store.commit([
    { op: 'fence', request_id, epoch: request.epoch },
    { op: 'put', kind: 'request', record },
  ]);
  const { because, waiting_for } = await (await (await explain(bench, 'east')).of(request_id)).load();
  t.is(
    because,
    "A broker that has 'west' in its configuration cannot take the request over yet; the request waits for it.",
  );
  t.is(waiting_for?.what, "a broker that has 'west'");
});

for (const [what, timeout, least_s, most_s] of [
  ['its time-out', 300, 290, 310],
  ['ten minutes when its time-out is later', 86_400, 400, 700],
] as const)
  test(`a request that waits for an absent broker ends after ${what}`, async (t) => {
    const bench = await brokersBench(t);
    const { clock, store, clouds, join, stop } = bench;
    await join('a', 'east');
    await stop(await join('b', 'east', 'west'));
    haveNothing(clouds.east);
    const request_id = await anywhere(bench, 'east', template, timeout);
    await clock.advance(least_s * 1_000);
    t.not((await store.get('request', { request_id }))?.status, 'failed');
    await clock.advance((most_s - least_s) * 1_000);
    const ended = await store.get('request', { request_id });
    t.is(ended?.status, 'failed');
    t.regex(ended?.message ?? '', /None in east/);
  });

for (const [host, s] of [
  ['the same host', 20],
  ['a new host, as a container', 700],
] as const)
  test(`a request does not wait for an instance that its broker has no more after a restart on ${host}`, async (t) => {
    const bench = await brokersBench(t);
    const { clock, store, clouds, join, stop } = bench;
    await stop(await join('the same host', 'east', 'west'));
    await join(host, 'east');
    haveNothing(clouds.east);
    const request_id = await anywhere(bench, 'east', template, 86_400);
    await clock.advance(s * 1_000);
    t.is((await store.get('request', { request_id }))?.status, 'failed', 'after ten minutes it is known');
  });

test('a request whose order at the absent broker was never sent waits for it', async (t) => {
  const bench = await brokersBench(t);
  const { clock, store, clouds, join, stop } = bench;
  await join('a', 'east');
  const b = await join('b', 'east', 'west');
  await clock.advance(10_000);
  haveNothing(clouds.east);
  const away: Script = (_order, { scripts }) => {
    scripts.unshift(away);
    return new ProviderFault('unavailable', 'No connection.');
  };
  clouds.west.scripts.push(away);
  const request_id = await anywhere(bench, 'west');
  await clock.advance(3_000);
  t.is((await store.find('attempt', { where: { request_id } })).at(-1)?.provider_instance, 'west');
  await stop(b);
  clouds.west.scripts.length = 0;
  await clock.advance(60_000);
  const waiting = await store.get('request', { request_id });
  t.not(waiting?.status, 'failed', waiting?.message);
  await join('b', 'east', 'west');
  await clock.advance(30_000);
  clouds.west.boot();
  await clock.advance(10_000);
  t.is((await store.get('request', { request_id }))?.status, 'completed');
});

test('a request does not wait for an instance that its broker disabled before it ended', async (t) => {
  const bench = await brokersBench(t);
  const { clock, store, clouds, join, joinWith, stop, instance } = bench;
  await join('a', 'east');
  await stop(await join('b', 'east', 'west'));
  const disabled = await joinWith({ instances: [instance('east'), { ...instance('west'), enabled: false }] }, 'b');
  await clock.advance(20_000);
  await stop(disabled);
  haveNothing(clouds.east);
  const request_id = await anywhere(bench, 'west');
  await clock.advance(60_000);
  t.is((await store.get('request', { request_id }))?.status, 'failed');
});

test('a request that no instance serves tells why at its end, also after it waited for a broker', async (t) => {
  const bench = await brokersBench(t);
  const { clock, store, join, joinWith, stop, instance } = bench;
  await joinWith({ instances: [{ ...instance('east'), enabled: false }] }, 'a');
  await stop(await join('b', 'east', 'west'));
  const request_id = await anywhere(bench, 'east', template, 300);
  await clock.advance(310_000);
  const ended = await store.get('request', { request_id });
  t.is(ended?.status, 'failed');
  t.regex(ended?.message ?? '', /'east': it is disabled/);
});

test('a request waits for no instance that cannot serve it, or that the broker has no more', async (t) => {
  const bench = await brokersBench(t);
  const { clock, store, clouds, join, stop } = bench;
  await join('a', 'east');
  await stop(await join('b', 'east', 'west', 'north'));
  // The same broker, with another configuration.
  await stop(await join('b', 'east', 'north'));
  haveNothing(clouds.east);
  const request_id = await anywhere(bench, 'east', { template_id: 'small', provider_name: 'east' });
  await clock.advance(20_000);
  t.is((await store.get('request', { request_id }))?.status, 'failed', 'it names its instance');
  await stop(await join('b', 'east'));
  const other = await anywhere(bench, 'east');
  await clock.advance(20_000);
  t.is((await store.get('request', { request_id: other }))?.status, 'failed', 'no broker has the others any more');
});
