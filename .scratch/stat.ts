import fc from 'fast-check';
import { smallHistories } from '../test/model/commands.ts';
import { play } from '../test/model/play.ts';
const seed = Number(process.argv[2]);
const n = Number(process.argv[3]);
const c: Record<string, number> = {};
const add = (k: string, x = 1) => {
  c[k] = (c[k] ?? 0) + x;
};
for (const h of fc.sample(smallHistories, { seed, numRuns: n })) {
  const { world, violations } = await play(h);
  if (violations.length) console.log(JSON.stringify(violations[0]));
  for (const a of world.shelf.attempts.values())
    for (const x of a.values())
      if (x.replaces) {
        add('attempts');
        add('state ' + x.state);
        add('count', x.order.machine_count);
      }
  for (const m of world.shelf.machines.values()) {
    if (m.rebalance_at) add('recommended');
    if (m.replaced_by) add('replaced');
    if (m.replaces) add('new ' + (m.took_over_at ? 'took over' : 'not') + ' going ' + m.going);
    if (m.replaced_by) add('old going ' + m.going + (m.lost ? ' lost' : ''));
    if (m.replaces && m.replaced_by) add('chain');
  }
}
console.log(c);
