import { stories } from './stories/index.ts';
import type { Story } from './story.ts';
import { ways, type Way } from './ways.ts';

/** One way to have machines in one story. */
export interface Cell {
  /** Also the id of its template. */
  readonly id: string;
  readonly way: Way;
  readonly story: Story;
}

const cellOf = (way: Way, story: Story): Cell => ({
  id: `${way.name.replaceAll(' ', '-')}.${story.name}`,
  way,
  story,
});

/** All of them. */
export const cells: readonly Cell[] = ways.flatMap((way) =>
  stories.filter((story) => story.fits?.(way) ?? true).map((story) => cellOf(way, story)),
);

/** Some of them: every way and every story is there; which goes with which turns with `turn`. */
export function covering(turn: number): readonly Cell[] {
  const played = new Map<Story, number>();
  const order = stories.map((_, index) => stories[(index + turn) % stories.length] as Story);
  return ways.map((way) => {
    const fit = order.filter((story) => story.fits?.(way) ?? true);
    const rarest = fit.reduce((best, story) => ((played.get(story) ?? 0) < (played.get(best) ?? 0) ? story : best));
    played.set(rarest, (played.get(rarest) ?? 0) + 1);
    return cellOf(way, rarest);
  });
}
