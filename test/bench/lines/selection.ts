import type { Candidate } from '../../../core/selection/candidate.ts';
import { select } from '../../../core/selection/select.ts';
import { spread } from '../measure/numbers.ts';
import { atLeast, below } from '../report/row.ts';
import type { Line } from './line.ts';

const instances = 20;
const requests = 100_000;
const keys = Array.from(
  { length: requests },
  (_, i) => `req-0199c5a2-7c31-7d4e-${i.toString(16).padStart(4, '0')}-b14a9d3c5e7f`,
);
const candidates = Array.from(
  { length: instances },
  (_, i): Candidate => ({
    name: `instance-${i}`,
    type: 'cloud',
    enabled: true,
    priority: 1 + (i % 3),
    weight: 1 + (i % 5),
    apis: ['EC2Fleet', 'RunInstances'],
    limits: [{ most: 1000, by: 'instance' }],
  }),
);

/** Choosing among twenty instances by weight, in this process: how fast, and how near to the weights. */
export const selection: Line = {
  names: ['select', 'select-weights'],

  async run({ rounds }, wanted, tell) {
    const choose = (key: string) =>
      select({ key, machine_count: 1, provider_type: 'cloud' }, candidates).provider_instance;
    const counts = new Map<string, number>();
    const rates: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const began = performance.now();
      for (const key of keys) counts.set(choose(key), (counts.get(choose(key)) ?? 0) + 1);
      // The first round is the warm-up.
      if (round > 0) rates.push((2 * requests) / ((performance.now() - began) / 1000));
    }
    const rate = spread(rates);
    if (wanted('select'))
      tell({
        name: 'select',
        title: `Choice among ${instances} instances by weight`,
        unit: '/s',
        measured: rate,
        runs: rounds,
        targets: [atLeast(rate.median, 500_000, 'choices/s')],
        notes: [],
      });
    const total = candidates.reduce((sum, { weight }) => sum + weight, 0);
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const off = candidates.map(({ name, weight }) => Math.abs((counts.get(name) ?? 0) / all - weight / total) * 100);
    const worst = Math.max(...off);
    if (wanted('select-weights'))
      tell({
        name: 'select-weights',
        title: `Shares of ${requests} choices against the weights`,
        unit: '%',
        measured: spread([worst]),
        runs: 1,
        targets: [below(worst, 1, '% of all')],
        notes: [],
      });
  },
};
