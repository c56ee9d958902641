/**
 * `npm run load -- [--clients 200] [--seconds 60] [--cycle S] [--hostile N] [--stop-after S]
 * [--warm-up-minutes M] [--heap-minutes M] [--seed N]`: callers of both kinds at one server, and N that mean harm.
 * Each begins a request as soon as its last one is over, and nothing limits its rate; with `--cycle` every S seconds at
 * most, under the rate limits of a new configuration. Says how long their calls took, and ends with 1 when anything
 * that was acknowledged is not so. See docs/guides/benchmarks.md.
 */
import { parseArgs } from 'node:util';
import { load } from './load.ts';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    'stop-after': { type: 'string' },
    'heap-minutes': { type: 'string' },
    'warm-up-minutes': { type: 'string' },
    cycle: { type: 'string', default: '0' },
    hostile: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
  },
});
const heapMinutes = values['heap-minutes'] === undefined ? undefined : Number(values['heap-minutes']);
/**
 * In that time code is compiled, and caches are filled: 5 000 records, when 20 000 requests were looked at, 32 MB of
 * answers.
 */
const warmUpS = Number(values['warm-up-minutes'] ?? 7) * 60;
const { book, wrong, stop_ms, rss_mb, stalls, heaps } = await load({
  clients: Number(values.clients),
  seconds: heapMinutes === undefined ? Number(values.seconds) : warmUpS,
  seed: Number(values.seed),
  hostile: Number(values.hostile),
  cycleSeconds: Number(values.cycle),
  ...(heapMinutes === undefined && values['warm-up-minutes'] !== undefined ? { warmUpSeconds: warmUpS } : {}),
  ...(values['stop-after'] === undefined ? {} : { stopAfter: Number(values['stop-after']) }),
  ...(heapMinutes === undefined ? {} : { heapMinutes }),
  tell: (line) => process.stderr.write(`${line}\n`),
});
/** Samples of memory. */
const halfMinute = 30;
const mean = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0) / all.length;
const lines = [
  book.table(),
  `${book.deals.length} requests; ${book.unanswered.length} calls without an answer, ${book.busy} refused because the server did not keep up`,
  `memory ${Math.round(rss_mb[0] ?? 0)} MB at first, ${Math.round(Math.max(...rss_mb))} MB at most, ${Math.round(rss_mb.at(-1) ?? 0)} MB at last; it grew by ${Math.round(mean(rss_mb.slice(-halfMinute)) - mean(rss_mb.slice(0, halfMinute)))} MB`,
  `the callers stood still for ${Math.round(stalls.callers)} ms at most, the server ${
    Object.entries(stalls.server)
      .map(([thread, ms]) => `for ${Math.round(ms)} ms (${thread})`)
      .join(', ') || 'is not known'
  }`,
  ...(stop_ms === undefined ? [] : [`the server ended ${Math.round(stop_ms)} ms after it was asked to`]),
  ...heaps.map(
    ({ thread, mb, mb_per_minute }) =>
      `heap of ${thread} at rest: ${mb.map((each) => each.toFixed(1)).join(' ')} MB, that is ${mb_per_minute.toFixed(3)} MB a minute of load`,
  ),
  ...wrong.slice(0, 20),
  wrong.length === 0
    ? `All that was acknowledged is there and carried out (seed ${values.seed}).`
    : `${wrong.length} things are wrong (seed ${values.seed}).`,
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exit(wrong.length === 0 ? 0 : 1);
