import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from './play.ts';
import { shortest, type Shortened } from './shortest.ts';
import { Tally } from './tally.ts';

export interface CampaignOptions<Options> {
  /** Plays go on until there were so many kills. */
  readonly runs: number;
  /** The number of the first play. */
  readonly from: number;
  readonly at_once: number;
  /** A play by its number; `left`: how many kills are still wanted. */
  readonly played: (number: number, left: number) => Options;
  readonly play: (options: Options) => Promise<Report>;
  /** Whether a play that went wrong is played again with fewer kills and callers. Default true. */
  readonly shortens?: boolean;
  /** The arguments that repeat a play. */
  readonly again: (number: number, options: Options) => string;
}

/** Plays until there were as many kills as wanted. Undefined: a play went wrong, and its shortest history is printed. */
export async function campaign<Options extends Shortened & { readonly seed: number }>({
  runs,
  from,
  at_once,
  played,
  play,
  shortens = true,
  again,
}: CampaignOptions<Options>): Promise<Tally | undefined> {
  const tally = new Tally();
  let failed: { readonly number: number; readonly options: Options; readonly report: Report } | undefined;
  await Promise.all(
    Array.from({ length: at_once }, async (_, first) => {
      for (let i = from + first; tally.kills < runs && failed === undefined; i += at_once) {
        const options = played(i, runs - tally.kills);
        const report = await play(options);
        if (report.wrong.length > 0) failed ??= { number: i, options, report };
        tally.add(report);
        process.stderr.write(`${report.title}: ${report.kills.length} kills; ${tally.kills} in all\n`);
      }
    }),
  );
  if (failed === undefined) return tally;
  const { number, options, report } = failed;
  const file = join(tmpdir(), `muster-crash-${options.seed}.txt`);
  writeFileSync(file, report.account ?? '');
  process.stdout.write(
    [
      report.title,
      ...report.wrong,
      `Everything that is known of it is in ${file}.`,
      shortens ? 'Looking for a shorter history of it …' : `Again with ${again(number, options)}.`,
      '',
    ].join('\n'),
  );
  if (!shortens) return undefined;
  const { report: short, options: found } = await shortest(options, report, play, (line) =>
    process.stderr.write(`${line}\n`),
  );
  if (short !== report) writeFileSync(file, short.account ?? '');
  process.stdout.write(
    [
      `\nThe shortest history that was found, with ${short.kills.length} kills and ${short.stories.length} callers:`,
      ...short.stories.map((story) => JSON.stringify(story)),
      ...short.kills.map((kill) => `killed ${kill}`),
      ...short.wrong,
      `Everything that is known of it is in ${file}.`,
      `Play ${number} failed; again with ${again(number, found)}.`,
      '',
    ].join('\n'),
  );
  return undefined;
}
