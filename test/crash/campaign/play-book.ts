import { dialects } from '../support/dialect.ts';
import { partSchedules, schedules } from './kill-point.ts';
import type { PlayOptions } from './play.ts';
import type { Size } from './stories.ts';

const killsEach = 12;

export interface BookOptions {
  readonly seed: number;
  /** Between two moments at which brokers are killed. */
  readonly every: number;
  /**
   * How many machines are asked for in all plays. Default: few in most plays, hundreds in one of four, 10 000 in one
   * of twenty.
   */
  readonly size?: Size;
}

/**
 * The plays of a campaign by their number: every moment in both formats in turn. `left`: how many kills are still
 * wanted.
 */
export function playBook({ seed, every, size }: BookOptions): (number: number, left: number) => PlayOptions {
  const both = schedules(every).flatMap((schedule) => dialects.map(({ scheduler }) => ({ schedule, scheduler })));
  const parts = partSchedules.flatMap((schedule) => dialects.map(({ scheduler }) => ({ schedule, scheduler })));
  return (number, left) => {
    const chosen = size ?? usual(number);
    // Two of three of the large ones are killed between the parts of a change, the others wherever the small ones are.
    const rounds = chosen !== 'small' && Math.floor(number / 4) % 3 < 2 ? parts : both;
    const turn = chosen === 'small' || size !== undefined ? number : Math.floor(number / 4);
    const round = rounds[turn % rounds.length] as (typeof rounds)[number];
    // One in five on hosts whose clocks are set now and then.
    return {
      ...round,
      seed: seed + number,
      size: chosen,
      most: Math.min(killsEach, Math.max(1, left)),
      clock_jumps: number % 5 === 4,
    };
  };
}

function usual(number: number): Size {
  if (number % 20 === 6) return 'huge';
  return number % 4 === 1 ? 'large' : 'small';
}
