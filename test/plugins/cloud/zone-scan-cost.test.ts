import test from 'ava';
import { zonesToScan, type ZoneCount } from '../../../plugins/cloud/observe/liveness/zone-scan-cost.ts';

const zone = (name: string, ours: number, rows?: number): ZoneCount => ({
  zone: name,
  ours,
  ...(rows === undefined ? {} : { rows }),
});

const cases: readonly [what: string, zones: readonly ZoneCount[], worth: readonly string[]][] = [
  ['nothing', [], []],
  ['as many as a page holds', [zone('a', 500), zone('b', 500)], []],
  ['more than that', [zone('a', 500), zone('b', 501)], ['a', 'b']],
  ['only ours', [zone('a', 5_000, 5_000)], ['a']],
  ['three times as many as ours', [zone('a', 5_000, 15_000)], ['a']],
  ['a crowd', [zone('a', 5_000, 15_001)], []],
  ['a crowd in one zone', [zone('a', 1_500, 90_000), zone('b', 1_500, 2_000)], ['b']],
  ['a handful of ours on one page of others', [zone('a', 1_500, 1_500), zone('b', 3, 1_000)], ['a', 'b']],
  ['a handful of ours on two pages of others', [zone('a', 1_500, 1_500), zone('b', 3, 1_001)], ['a']],
];

for (const [what, zones, worth] of cases) {
  test(`zones whose statuses are worth listing: ${what}`, (t) => {
    t.deepEqual([...zonesToScan(zones)], worth);
  });
}
