import test from 'ava';
import { scenarios } from '../../plugins/cloud-simulator/knobs/scenarios.ts';
import { cells, covering } from './cells.ts';
import { settings } from './settings.ts';
import { stories } from './stories/index.ts';
import { ways } from './ways.ts';

test('every API, fleet type and price model that is not refused is a way', (t) => {
  const names = ways.map(({ name }) => name);
  t.is(names.length, 19);
  t.true(names.includes('SpotFleet maintain mixed') && !names.includes('SpotFleet maintain ondemand'));
  t.is(new Set(ways.flatMap(({ types }) => types)).size, 38, 'no two ways have a machine type in common');
});

test('every way is in every story that fits it', (t) => {
  t.is(new Set(cells.map(({ id }) => id)).size, cells.length);
  t.is(cells.length, ways.length * (stories.length - 1) + ways.filter(({ price }) => price === 'mixed').length);
});

test('each covering selection has every way and every story, and all of them together nearly every cell', (t) => {
  const seen = new Set<string>();
  for (let turn = 0; turn < stories.length; turn++) {
    const some = covering(turn);
    t.is(new Set(some.map(({ way }) => way)).size, ways.length);
    t.is(new Set(some.map(({ story }) => story)).size, stories.length);
    for (const { id } of some) seen.add(id);
  }
  t.true(seen.size > 0.8 * cells.length, `${seen.size} of ${cells.length}`);
});

test('every ready-made scenario is played', (t) => {
  t.deepEqual(
    settings.map(({ scenario }) => scenario),
    Object.keys(scenarios),
  );
});
