import test from 'ava';
import type { CapacityOffer, JournalEvent } from '../../../host/page/api/shapes.ts';
import { capacityGrids, latestLack } from '../../../host/page/views/capacity/capacity-grid.ts';
import { isRunningOut, storiesOf } from '../../../host/page/views/interruptions/stories.ts';
import { limitState, matchText } from '../../../host/page/views/budgets/limit-state.ts';
import { layersOf, originOf } from '../../../host/page/views/templates/layers.ts';

const offer = (
  machine_type: string,
  zone: string | null,
  market: 'ondemand' | 'spot',
  more: object = {},
): CapacityOffer => ({
  provider_instance: 'east',
  provider_api: 'RunInstances',
  offer: `${machine_type}|${zone}|${market}`,
  machine_type,
  zone,
  market,
  state: 'free',
  template_ids: [],
  ...more,
});

test('pools stand by size of the type, by zone and by market; a pool that no template allows is empty', (t) => {
  const [grid] = capacityGrids([
    offer('m5.2xlarge', 'b', 'spot'),
    offer('m5.large', 'a', 'ondemand'),
    offer('m5.xlarge', 'a', 'spot'),
    offer('m5.metal', null, 'spot'),
  ]);
  t.deepEqual(
    grid?.rows.map(({ machine_type }) => machine_type),
    ['m5.large', 'm5.xlarge', 'm5.2xlarge', 'm5.metal'],
  );
  t.deepEqual(
    grid?.zones.map(({ zone, markets }) => [zone, ...markets]),
    [
      ['a', 'ondemand', 'spot'],
      ['b', 'spot'],
      ['any zone', 'spot'],
    ],
  );
  t.deepEqual(
    grid?.rows[0]?.pools.map((pool) => pool?.key),
    ['east m5.large a ondemand', undefined, undefined, undefined],
  );
});

test('a pool that one API finds short is short, and waits for the latest of its retries', (t) => {
  const short = { state: 'short', code: 'InsufficientInstanceCapacity' };
  const [grid] = capacityGrids([
    offer('m5.large', 'a', 'spot', { ...short, tried_again_at: '2026-01-01T00:00:15.000Z' }),
    offer('m5.large', 'a', 'spot', { ...short, provider_api: 'EC2Fleet', tried_again_at: '2026-01-01T00:00:20.000Z' }),
    offer('m5.large', 'a', 'spot', { provider_api: 'ASG' }),
  ]);
  const pool = grid?.rows[0]?.pools[0];
  t.is(grid?.short, 1);
  t.is(pool?.offers.length, 3);
  t.is(pool && latestLack(pool)?.provider_api, 'EC2Fleet');
});

const event = (seq: number, type: string, data: Record<string, unknown> = {}): JournalEvent => ({
  seq,
  at: new Date(seq * 1_000).toISOString(),
  type,
  request_id: 'req-1',
  machine_id: 'i-1',
  provider_instance: 'east',
  actor: { interface: 'broker' },
  data,
});

test('what the cloud announces about a machine is one story, whose last word counts', (t) => {
  const reclaim_at = new Date(130_000).toISOString();
  const noticed = event(10, 'machine.reclaim_noticed', { machine_ids: ['i-1'], reclaim_at });
  const running = storiesOf([noticed, noticed, event(5, 'machine.ready')]);
  t.is(running.length, 1);
  t.is(running[0]?.events.length, 1);
  t.true(running.every((story) => isRunningOut(story, 20_000)));
  for (const end of ['machine.lost', 'machine.replaced', 'machine.reclaim_withdrawn'])
    t.false(
      storiesOf([noticed, event(11, end)]).some((story) => isRunningOut(story, 20_000)),
      end,
    );
  t.false(running.some((story) => isRunningOut(story, 1_000_000)));
});

test('a field is set by the last layer that has it', (t) => {
  const layers = layersOf({
    override_chain: [
      { file: 'base.json', fields: ['image_id', 'machine_type'] },
      { file: 'api', fields: ['machine_type'] },
    ],
  });
  t.is(originOf('machine_type', layers), 'api');
  t.is(originOf('image_id', layers), 'base.json');
  t.is(originOf('version', layers), 'default');
  t.deepEqual([...(layers[0]?.overridden ?? [])], ['machine_type']);
  t.deepEqual(layersOf(undefined), []);
});

for (const [used, max, near, exceeded, mark, word, share] of [
  [0, 10, false, false, 'good', 'has room', 0],
  [7.9, 10, false, false, 'good', 'has room', 0.79],
  [8, 10, true, false, 'part', 'nearly used up, 80 %', 0.8],
  [9.99, 10, true, false, 'part', 'nearly used up, 99 %', 0.999],
  [10, 10, true, false, 'bad', 'used up', 1],
  [12, 10, true, true, 'bad', 'exceeded', 1],
  [0, 0, false, false, 'bad', 'used up', 1],
] as const)
  test(`a limit of which ${used} of ${max} are used is ${word}`, (t) => {
    t.deepEqual(limitState({ limit: 'max_machines', used, max, near, exceeded }), { mark, word, share });
  });

test('the machines that a budget counts are told in words', (t) => {
  t.is(matchText({}), 'all machines');
  t.is(
    matchText({ template_id: 'a', provider_instance: 'east', price_type: 'spot', tags: { team: 'blue', x: 'y' } }),
    'template a · instance east · spot · team=blue · x=y',
  );
});
