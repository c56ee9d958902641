import fc from 'fast-check';
import { smallHistories } from './commands.ts';
import { play } from './play.ts';
const [seed, n, from] = process.argv.slice(2).map(Number);
const l = fc.sample(smallHistories, { seed: seed!, numRuns: n! });
for (const [i, h] of l.entries())
  if (i >= (from ?? 0)) {
    const c = process.cpuUsage();
    console.log(i, JSON.stringify(h).slice(0, 100));
    const t = setTimeout(() => 0, 1e6);
    const { violations, world } = await play(h);
    clearTimeout(t);
    const d = process.cpuUsage(c);
    console.log(i, ((d.user + d.system) / 1000) | 0, world.time.now, violations[0]?.rule);
  }
