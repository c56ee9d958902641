/**
 * `npm run crash -- --runs N --seed S`: kills the broker N times, at every call to the cloud and at every commit in
 * turn, among requests, partials, fallbacks, returns and cancels over all APIs and in both formats, and holds what is
 * left against what was acknowledged and what the cloud has. In some plays callers ask for hundreds of machines, in a
 * few for 10 000. With `--brokers 3`, so many brokers on one PostgreSQL are killed and stopped, and the database with
 * them. The last line says how many kills were survived, or which play failed. See docs/guides/guarantees.md.
 */
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { campaign } from './campaign/campaign.ts';
import { playFrozen } from './campaign/frozen.ts';
import { playBook } from './campaign/play-book.ts';
import { play } from './campaign/play.ts';
import { sizes } from './campaign/stories.ts';
import { clusterCampaign } from './cluster/cluster-campaign.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    every: { type: 'string', default: '10' },
    'at-once': { type: 'string' },
    /** The number of the first play: goes on where another run failed. */
    from: { type: 'string', default: '0' },
    size: { type: 'string' },
    brokers: { type: 'string', default: '1' },
  },
});
const [runs, seed, from] = [Number(values.runs), Number(values.seed), Number(values.from)];
const size = sizes.find((each) => each === values.size);
if (values.size !== undefined && size === undefined)
  throw new Error(`--size ${values.size}: known are ${sizes.join(', ')}.`);
const sized = size ? { size } : {};
const sizedAgain = size ? ` --size ${size}` : '';

if (Number(values.brokers) > 1) {
  const brokers = Number(values.brokers);
  const tally = await clusterCampaign({
    runs,
    seed,
    from,
    brokers,
    at_once: Number(values['at-once'] ?? 1),
    ...sized,
  });
  if (tally === undefined) process.exit(1);
  process.stdout.write(
    `${tally.table()}\n${tally.kills} faults survived by ${brokers} brokers in ${tally.plays} plays, from seed ${seed}\n`,
  );
  process.exit(0);
}

const at_once = Number(values['at-once'] ?? 2);
const tally = await campaign({
  runs,
  from,
  at_once,
  played: playBook({ seed, every: Number(values.every), ...sized }),
  play,
  again: (number, { most, schedule }) =>
    `--seed ${seed} --from ${number} --runs ${most} --every ${values.every}${sizedAgain} (${JSON.stringify(schedule)})`,
});
if (tally === undefined) process.exit(1);
const turn = pLimit(at_once);
const frozen = Math.ceil(runs / 20);
await Promise.all(
  Array.from({ length: frozen }, (_, i) =>
    turn(async () => {
      const report = await playFrozen({
        seed: seed + i,
        freezes:
          i % 3 === 2
            ? { at: 'part', nth: 1 + ((i * 5) % 12) }
            : { at: 'call', nth: 1 + ((i * 7) % 60), effect: i % 2 === 0 ? 'execute' : 'skip' },
        thaws: i % 4 < 2 ? 'after' : 'between',
      });
      process.stderr.write(`${report.title}: ${report.frozen_in ?? 'nothing'}\n`);
      if (report.wrong.length === 0) return;
      process.stdout.write(`${report.title}\n${report.wrong.join('\n')}\n${report.account ?? ''}\n`);
      process.exit(1);
    }),
  ),
);
process.stdout.write(
  `${tally.table()}\n${tally.kills} kills survived in ${tally.plays} plays, and ${frozen} frozen holders that thawed, from seed ${seed}\n`,
);
