import test from 'ava';
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

const aims: readonly (readonly [
  what: string,
  on_demand: number,
  stay: ReturnType<typeof machine>[],
  incoming: number,
  units: [number, number],
])[] = [
  ['nothing', 0, [], 0, [0, 0]],
  ['what stays, by weight and market', 0.5, [od(2), od(4), spot(4)], 0, [6, 4]],
  ['machines without a weight count as the smallest', 0, [spot()], 0, [0, 2]],
  ['all to come on demand', 1, [od(4)], 3, [10, 0]],
  ['all to come from Spot', 0, [spot(2)], 3, [0, 8]],
  ['what is to come completes the share', 0.5, [spot(2), spot(2)], 2, [4, 4]],
  ['also where one market has more than its share', 0.25, [od(2), od(2)], 2, [4, 4]],
  ['a share is rounded over all machines', 0.4, [od(2), spot(2)], 3, [4, 6]],
];
for (const [what, on_demand, stay, incoming, [onDemand, spotUnits]] of aims) {
  test(`the target of a fleet: ${what}`, (t) => {
    t.deepEqual(
      targetOf({ unit: 2, on_demand }, { stay, incoming }),
      targetWith({ 'on-demand': onDemand, spot: spotUnits }),
    );
  });
}

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
