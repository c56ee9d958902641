import test from 'ava';
import { ProviderFault, type OwnedResource } from '../../../../../core/index.ts';
import { loopBench } from '../../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../../support/scripted-cloud.ts';

const settings = { sweep_first_ms: 5_000, sweep_ms: 60_000, sweep_grace_ms: 30_000 };
const long = '2025-01-01T00:00:00Z';

const orphan = (id: string): OwnedResource => ({
  kind: 'machine',
  id,
  request_id: 'req-of-nobody',
  attempt: 1,
  created_at: long,
  machine: { machine_id: id, status: 'running', ready: true },
});
/** A bench whose cloud had one order, which has ended. */
async function benchAfterAnOrder(
  cloud: ScriptedCloud,
  policy: 'off' | 'report' | 'terminate',
  more: object = {},
): Promise<Bench> {
  const bench = await loopBench({ east: cloud }, { ...settings, ...more }, {}, policy);
  await bench.request(1);
  await bench.clock.advance(1_000);
  cloud.boot();
  await bench.clock.advance(3_000);
  return bench;
}

type Bench = Awaited<ReturnType<typeof loopBench>>;

/** Advances the clock until this total number of sweeps. */
async function swept(bench: Bench, cloud: ScriptedCloud, times: number): Promise<void> {
  const count = () => cloud.calls.filter((call) => call === 'sweep').length;
  for (let step = 0; step < 100 && count() < times; step++) await bench.clock.advance(5_000);
  if (count() !== times) throw new Error(`${count()} sweeps instead of ${times}.`);
  await bench.clock.advance(1_000);
}

const events = async (bench: Bench, type: string) => bench.store.find('event', { where: { type } });

test('an orphan is reported after two sightings, and never ended unless that is configured', async (t) => {
  const east = new ScriptedCloud();
  const bench = await benchAfterAnOrder(east, 'report');
  east.listed = [orphan('m-9')];
  await swept(bench, east, 1);
  t.is((await events(bench, 'orphan.found')).length, 0);
  await swept(bench, east, 4);
  const told = await events(bench, 'orphan.found');
  t.is(told.length, 1);
  t.like(told[0], { provider_instance: 'east', machine_id: 'm-9' });
  t.like(told[0]?.data, { kind: 'machine', id: 'm-9', request_id: 'req-of-nobody' });
  const found: any = (await bench.store.find('fact', { where: {} })).find(({ topic }) => topic === 'orphans')?.value;
  t.is(found.count, 1);
  t.like(found.orphans[0], { id: 'm-9', reason: 'No order 1 of request req-of-nobody is stored.' });
  t.deepEqual(east.removed, []);
  await bench.close();
});

test('with `terminate` an orphan is ended at its third sighting in a row', async (t) => {
  const east = new ScriptedCloud();
  const bench = await benchAfterAnOrder(east, 'terminate');
  east.listed = [orphan('m-9')];
  await swept(bench, east, 2);
  t.deepEqual(east.removed, []);
  await swept(bench, east, 3);
  t.deepEqual(east.removed, ['m-9']);
  t.is((await events(bench, 'orphan.ended')).length, 1);
  await bench.close();
});

test('an orphan that a caller asks to end is ended soon, also where orphans are only reported', async (t) => {
  const east = new ScriptedCloud();
  const bench = await benchAfterAnOrder(east, 'report');
  east.listed = [orphan('m-8'), orphan('m-9')];
  await swept(bench, east, 1);
  const wish = { topic: 'end_orphan', name: 'east', item: 'machine m-9', value: true, at: bench.clock.now() };
  await bench.store.commit([{ op: 'put', kind: 'fact', record: { ...wish, until: bench.clock.now() + 3_600_000 } }]);
  // A fifth of the interval: nobody waits for the next sweep in turn.
  await bench.clock.advance(12_000);
  t.deepEqual(east.removed, ['m-9']);
  t.is((await events(bench, 'orphan.ended')).length, 1);
  // The wish is carried out once.
  await swept(bench, east, 4);
  t.deepEqual(east.removed, ['m-9']);
  await bench.close();
});

test('a failed sweep has no effect and does not reset the sightings', async (t) => {
  const east = new ScriptedCloud();
  const bench = await benchAfterAnOrder(east, 'terminate');
  east.listed = [orphan('m-9')];
  await swept(bench, east, 2);
  east.listed = new ProviderFault('unavailable', 'The cloud does not answer.');
  await swept(bench, east, 3);
  t.deepEqual(east.removed, []);
  east.listed = [orphan('m-9')];
  await swept(bench, east, 4);
  t.deepEqual(east.removed, ['m-9']);
  await bench.close();
});

test('containers are ended before their machines, which they would replace', async (t) => {
  const east = new ScriptedCloud();
  const bench = await benchAfterAnOrder(east, 'terminate');
  east.listed = [orphan('m-9')];
  east.containers = [{ kind: 'container', id: 'fleet-9', request_id: 'req-of-nobody', attempt: 1, created_at: long }];
  await swept(bench, east, 3);
  t.deepEqual(east.removed, ['fleet-9', 'm-9']);
  await bench.close();
});

test('of many orphans only a few are ended at a time', async (t) => {
  const east = new ScriptedCloud();
  const bench = await benchAfterAnOrder(east, 'terminate');
  east.listed = Array.from({ length: 40 }, (_, index) => orphan(`m-${index + 100}`));
  await swept(bench, east, 3);
  t.is(east.removed.length, 5);
  await bench.close();
});

test('with `off` there is no sweep', async (t) => {
  const east = new ScriptedCloud();
  const bench = await benchAfterAnOrder(east, 'off');
  await bench.clock.advance(600_000);
  t.false(east.calls.includes('sweep'));
  await bench.close();
});

test('a cloud without any order is not connected', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, settings, {}, 'report');
  await bench.clock.advance(600_000);
  t.deepEqual(east.calls, []);
  await bench.close();
});

test('a machine that its ended request no longer tracked is found and released', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, { ...settings, observe_resting_ms: 3_600_000 }, {}, 'report');
  const id = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.is((await bench.status(id)).request.status, 'completed');
  const attempt = await bench.store.get('attempt', { request_id: id, attempt: 1 });
  // A second machine of the same order that no answer reported.
  east.machines.set('m-late', {
    report: { machine_id: 'm-late', status: 'running', ready: true },
    token: attempt?.token ?? '',
    request_id: id,
    attempt: 1,
  });
  east.listed = ['m-1', 'm-late'].map((machine_id) => ({
    kind: 'machine',
    id: machine_id,
    request_id: id,
    attempt: 1,
    created_at: long,
    machine: { machine_id, status: 'running', ready: true },
  }));
  await swept(bench, east, 1);
  await bench.clock.advance(5_000);
  t.deepEqual(east.live(id), ['m-1']);
  t.is((await bench.store.get('machine', { provider_instance: 'east', machine_id: 'm-late' }))?.going, 'late');
  t.deepEqual(east.removed, []);
  await bench.close();
});

test('orphans that are gone are no longer reported, also when nothing is left', async (t) => {
  const east = new ScriptedCloud();
  const bench = await benchAfterAnOrder(east, 'report');
  const told = async () => (await bench.store.find('fact', {})).find(({ topic }) => topic === 'orphans')?.value;
  east.listed = [orphan('m-9')];
  await swept(bench, east, 2);
  t.like(await told(), { count: 1 });
  east.listed = [];
  await swept(bench, east, 3);
  t.like(await told(), { count: 0, orphans: [] });
  await bench.close();
});
