import test from 'ava';
import { costOf, machineCost } from '../../../../core/model/cost/cost.ts';

const hour = 3_600_000;
const price = { usd_per_hour: 0.3, source: 'catalogue' } as const;

test('a machine costs its price for the time since it was seen, until it is gone', (t) => {
  t.deepEqual(machineCost({ price, created_at: 0 }, hour / 2), { usd_per_hour: 0.3, usd_so_far: 0.15 });
  t.deepEqual(machineCost({ price, created_at: 0, gone_at: 2 * hour }, 9 * hour), {
    usd_per_hour: 0,
    usd_so_far: 0.6,
  });
  t.deepEqual(machineCost({ price, created_at: hour }, 0), { usd_per_hour: 0.3, usd_so_far: 0 }, 'a clock set back');
  t.is(machineCost({ created_at: 0 }, hour), undefined);
});

test('a sum shows no tail of binary fractions, and says how many machines it leaves out', (t) => {
  const machines = [1, 2, 3].map(() => ({ price: { ...price, usd_per_hour: 0.1 }, created_at: 0 }));
  t.deepEqual(costOf(machines, hour), { usd_per_hour: 0.3, usd_so_far: 0.3 });
  t.deepEqual(costOf([...machines, { created_at: 0 }], hour), {
    usd_per_hour: 0.3,
    usd_so_far: 0.3,
    unpriced_machines: 1,
  });
  t.deepEqual(costOf([], hour), { usd_per_hour: 0, usd_so_far: 0 });
});
