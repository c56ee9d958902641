import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import {
  planFor,
  poolsOf,
  targetOf,
  targetWith,
  type CloudTemplate,
  type Market,
} from '../../../plugins/cloud/index.ts';

const machine = (market: Market, weight?: number) => ({
  machine_id: `i-${market}-${weight}`,
  status: 'running' as const,
  data: { market, ...(weight === undefined ? {} : { weight }) },
});
const od = (weight?: number) => machine('on-demand', weight);
const spot = (weight?: number) => machine('spot', weight);

type Machines = readonly ReturnType<typeof machine>[];
/** Units on demand and from Spot. */
type Units = readonly [onDemand: number, spot: number];
const unitsOf = ([onDemand, spotUnits]: Units) => targetWith({ 'on-demand': onDemand, spot: spotUnits });

const aims: readonly (readonly [
  what: string,
  on_demand: number,
  current: Units,
  go: Machines,
  stay: Machines,
  incoming: number,
  units: Units,
])[] = [
  ['nothing', 0, [0, 8], [], [], 0, [0, 0]],
  ['what stays, by weight and market', 0.5, [10, 10], [], [od(2), od(4), spot(4)], 0, [6, 4]],
  ['machines without a weight count as the smallest', 0, [0, 4], [], [spot()], 0, [0, 2]],
  ['all to come on demand', 1, [10, 0], [], [od(4)], 3, [10, 0]],
  ['all to come from Spot', 0, [0, 8], [], [spot(2)], 3, [0, 8]],
  ['what is to come has the places that are free', 0.5, [4, 4], [], [spot(2), spot(2)], 2, [4, 4]],
  ['also where they are not its share', 0.5, [2, 6], [], [spot(2), spot(2)], 2, [2, 6]],
  ['who goes has no place for it: all on demand go', 0.5, [4, 4], [od(2), od(2)], [], 2, [0, 4]],
  ['and all from Spot go', 0.5, [4, 4], [spot(2), spot(2)], [], 2, [4, 0]],
  ['the same after the target was set', 0.5, [0, 4], [od(2), od(2)], [], 2, [0, 4]],
  ['and when one of them is gone', 0.5, [0, 4], [od(2)], [], 2, [0, 4]],
  ['some of both go, and one of each is to come', 0.5, [8, 8], [od(2), od(2), spot(2)], [od(2), spot(4)], 2, [4, 6]],
  ['a heavy one that is to come has what the others leave', 0.5, [4, 4], [spot(2)], [od(3), spot(2)], 1, [5, 2]],
  ['fewer may come than have places', 0.5, [8, 4], [], [], 3, [4, 2]],
  ['without a place by share', 0.5, [0, 0], [], [spot(2), spot(2)], 2, [4, 4]],
  ['also where one market has more than its share', 0.25, [4, 0], [], [od(2), od(2)], 2, [4, 4]],
  ['a share is rounded over all machines', 0.4, [2, 2], [], [od(2), spot(2)], 3, [4, 6]],
];
for (const [what, on_demand, current, go, stay, incoming, units] of aims) {
  test(`the target of a fleet: ${what}`, (t) => {
    t.deepEqual(targetOf({ unit: 2, on_demand }, unitsOf(current), { go, stay, incoming }), unitsOf(units));
  });
}

test('every machine that was started and does not go keeps its place, known or not, before the change and after it', (t) => {
  const started = fc.array(
    fc.record({ of: fc.constantFrom(od(1), spot(1)), fate: fc.constantFrom('unknown', 'goes', 'stays') }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(started, fc.boolean(), (machines, set) => {
      const having = (...fates: readonly string[]): Machines =>
        machines.filter(({ fate }) => fates.includes(fate)).map(({ of }) => of);
      const count = (fates: readonly string[], market: Market) =>
        having(...fates).filter(({ data }) => data.market === market).length;
      const places = (...fates: readonly string[]): Units => [count(fates, 'on-demand'), count(fates, 'spot')];
      const [whole, lowered] = [places('unknown', 'goes', 'stays'), places('unknown', 'stays')];
      const on_demand = machines.length === 0 ? 0 : whole[0] / machines.length;
      const release = { go: having('goes'), stay: having('stays'), incoming: having('unknown').length };
      const target = targetOf({ unit: 1, on_demand }, unitsOf(set ? lowered : whole), release);
      return isDeepStrictEqual(target, unitsOf(lowered));
    }),
    { numRuns: 1_000 },
  );
  t.pass();
});

test('the target of a fleet never exceeds its maximum and is made of whole machines', (t) => {
  const template = {
    template_id: 't',
    machine_types: { a: 3, b: 7 },
    price_type: 'mixed',
    percent_on_demand: 30,
  } as unknown as CloudTemplate;
  t.deepEqual(planFor(template, poolsOf(template), 10).target, targetWith({ 'on-demand': 9, spot: 21 }));
  t.is(planFor(template, poolsOf(template), 5_000).target.total, 9_999);
});
