import fc from 'fast-check';
import { smallHistories } from './commands.ts';
import { play } from './play.ts';
import type { Rule } from './judge.ts';
const but = new Set<Rule>(['over the limit']);
const list = fc.sample(smallHistories, { seed: Number(process.argv[2] ?? 1), numRuns: Number(process.argv[3] ?? 100) });
const counts: Record<string, number> = {};
const t0 = performance.now();
const c0 = process.cpuUsage();
let slow: [number, number][] = [];
for (const [i, h] of list.entries()) {
  if (process.argv[4]) console.error(i);
  const t = process.cpuUsage();
  const { violations } = await play(h, but);
  const d = process.cpuUsage(t);
  slow.push([(d.user + d.system) / 1000, i]);
  const k = violations[0] ? violations[0].rule + ' | ' + violations[0].what.replace(/[0-9]+/g, 'N').slice(0, 110) : 'ok';
  counts[k] = (counts[k] ?? 0) + 1;
}
const c = process.cpuUsage(c0);
console.log((c.user + c.system) / 1000 / list.length, 'ms cpu each');
console.log(slow.sort((a, b) => b[0] - a[0]).slice(0, 5));
for (const [k, n] of Object.entries(counts).sort((a, b) => b[1] - a[1])) console.log(n, k);
