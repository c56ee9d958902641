import test from 'ava';
import { silentLog, type Log } from '../../../core/index.ts';
import { choose } from '../../../core/providers/choose.ts';
import { RequestService } from '../../../core/requests/request-service.ts';
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
