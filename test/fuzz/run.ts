/**
 * `npm run fuzz -- [--calls 10000] [--seed N] [--grow]`: hostile calls made from valid ones, played at a broker in
 * this thread. Ends with 1 when one of them is answered with a failure of ours, with too much, or takes more than 100
 * ms of the thread. `--grow` writes what is worth keeping into corpus.json. /
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { corpusFile } from './corpus.ts';
import { fuzz } from './fuzz.ts';

/** So many are kept of the ways in which calls are answered. */
const mostWays = 120;
/** More than this is a leak, and no cache that fills. */
const mostGrowthMb = 64;

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    grow: { type: 'boolean', default: false },
  },
});
const { wrong, longest, ways, heap_mb } = await fuzz({
  calls: Number(values.calls),
  seed: Number(values.seed),
  tell: (line) => process.stderr.write(`${line}\n`),
});
const rows = [...longest].toSorted(([, a], [, b]) => b.cpu_ms - a.cpu_ms);
for (const [base, { cpu_ms, recipe }] of rows)
  console.log(`${base.padEnd(24)} ${cpu_ms.toFixed(0).padStart(5)} ms  ${JSON.stringify(recipe.steps)}`);
for (const each of wrong.slice(0, 20)) console.log(each);
const [before, after] = heap_mb;
const grown = after - before;
if (before > 0)
  console.log(`heap ${before.toFixed(0)} MB after a tenth of the calls, ${after.toFixed(0)} MB at the end`);
if (grown > mostGrowthMb) console.log(`the heap has grown by ${grown.toFixed(0)} MB`);
console.log(
  wrong.length === 0
    ? `${values.calls} calls, none answered wrongly (seed ${values.seed}).`
    : `${wrong.length} things are wrong (seed ${values.seed}).`,
);
if (values.grow) {
  const kept = [...rows.map(([, each]) => each), ...[...ways.values()].slice(0, mostWays)].map(({ recipe }) => recipe);
  const unique = [
    ...new Map(kept.filter(({ steps }) => steps.length > 0).map((recipe) => [JSON.stringify(recipe), recipe])).keys(),
  ];
  writeFileSync(corpusFile, `[\n${unique.map((line) => `  ${line}`).join(',\n')}\n]\n`);
}
process.exit(wrong.length === 0 && grown <= mostGrowthMb ? 0 : 1);
