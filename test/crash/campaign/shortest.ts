import type { Report } from './play.ts';
import type { Story } from './stories.ts';

/** What can be made shorter of a play. */
export interface Shortened {
  readonly most: number;
  readonly stories?: readonly Story[];
}

/** Plays at most so many variants. */
const most = 16;

/**
 * A shorter history that goes wrong as well: with fewer kills, and with fewer callers. Processes never run twice in
 * the same way, so what a shorter one did not show may still be in it.
 */
export async function shortest<Options extends Shortened>(
  options: Options,
  report: Report,
  play: (options: Options) => Promise<Report>,
  tell: (line: string) => void,
): Promise<{ readonly options: Options; readonly report: Report }> {
  let best: { readonly options: Options; readonly report: Report } = {
    options: { ...options, stories: report.stories, most: report.kills.length },
    report,
  };
  let tries = 0;
  async function better(shorter: Options): Promise<boolean> {
    if (tries >= most) return false;
    tries += 1;
    const next = await play(shorter);
    tell(
      `with ${shorter.most} kills and ${shorter.stories?.length} callers: ${next.wrong.length > 0 ? 'wrong too' : 'right'}`,
    );
    if (next.wrong.length === 0) return false;
    best = { options: { ...shorter, most: next.kills.length }, report: next };
    return true;
  }
  while (best.options.most > 1 && (await better({ ...best.options, most: Math.floor(best.options.most / 2) })));
  for (const story of best.report.stories) {
    const stories = (best.options.stories ?? []).filter((each) => each !== story);
    if (stories.length > 0) await better({ ...best.options, stories });
  }
  return best;
}
