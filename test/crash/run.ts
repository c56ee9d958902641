/**
 * `npm run crash -- --runs N --seed S`: kills the broker N times, at every call to the cloud and at every commit in
 * turn, among requests, partials, fallbacks, returns and cancels over all APIs and in both formats, and holds what is
 * left against what was acknowledged and what the cloud has. In some plays callers ask for hundreds of machines, in a
 * few for 10 000. The last line says how many kills were survived, or which play failed. See
 * docs/guides/guarantees.md. /
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { playFrozen } from './campaign/frozen.ts';
import { playBook } from './campaign/play-book.ts';
import { play, type PlayOptions, type Report } from './campaign/play.ts';
import { shortest } from './campaign/shortest.ts';
import { sizes } from './campaign/stories.ts';
import { Tally } from './campaign/tally.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    every: { type: 'string', default: '10' },
    'at-once': { type: 'string', default: '2' },
    /** The number of the first play: goes on where another run failed. */
    from: { type: 'string', default: '0' },
    size: { type: 'string' },
  },
});
const runs = Number(values.runs);
const turn = pLimit(Number(values['at-once']));
const size = sizes.find((each) => each === values.size);
if (values.size !== undefined && size === undefined)
  throw new Error(`--size ${values.size}: known are ${sizes.join(', ')}.`);
const played = playBook({ seed: Number(values.seed), every: Number(values.every), ...(size ? { size } : {}) });
const tally = new Tally();
let failed: { readonly number: number; readonly options: PlayOptions; readonly report: Report } | undefined;

await Promise.all(
  Array.from({ length: Number(values['at-once']) }, (_, first) =>
    turn(async () => {
      for (
        let i = Number(values.from) + first;
        tally.kills < runs && failed === undefined;
        i += Number(values['at-once'])
      ) {
        const options = played(i, runs - tally.kills);
        const report = await play(options);
        if (report.wrong.length > 0) failed ??= { number: i, options, report };
        tally.add(report);
        process.stderr.write(`${report.title}: ${report.kills.length} kills; ${tally.kills} in all\n`);
      }
    }),
  ),
);

if (failed) {
  const { number, options, report } = failed;
  process.stdout.write(`${report.title}\n${report.wrong.join('\n')}\nLooking for a shorter history of it …\n`);
  const { report: short, options: found } = await shortest(options, report, play, (line) =>
    process.stderr.write(`${line}\n`),
  );
  const file = join(tmpdir(), `muster-crash-${options.seed}.txt`);
  writeFileSync(file, short.account ?? '');
  process.stdout.write(
    [
      `\nThe shortest history that was found, with ${short.kills.length} kills and ${short.stories.length} callers:`,
      ...short.stories.map((story) => JSON.stringify(story)),
      ...short.kills.map((kill) => `killed ${kill}`),
      ...short.wrong,
      `Everything that is known of it is in ${file}.`,
      `Play ${number} failed; again with --seed ${values.seed} --from ${number} --runs ${options.most} --every ${values.every}${size ? ` --size ${size}` : ''} (${JSON.stringify(found.schedule)}).`,
      '',
    ].join('\n'),
  );
  process.exit(1);
}
const frozen = Math.ceil(runs / 20);
await Promise.all(
  Array.from({ length: frozen }, (_, i) =>
    turn(async () => {
      const report = await playFrozen({
        seed: Number(values.seed) + i,
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
  `${tally.table()}\n${tally.kills} kills survived in ${tally.plays} plays, and ${frozen} frozen holders that thawed, from seed ${values.seed}\n`,
);
