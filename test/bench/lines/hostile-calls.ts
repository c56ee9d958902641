import { join } from 'node:path';
import { spread } from '../measure/numbers.ts';
import { Child } from '../processes/child.ts';
import { below } from '../report/row.ts';
import type { Line } from './line.ts';

/** How long hostile calls of up to a megabyte keep the thread that answers everybody. */
export const hostileCalls: Line = {
  names: ['hostile-calls'],

  async run(_effort, _wanted, tell) {
    const player = Child.of(join(import.meta.dirname, '../processes/hostile.ts'));
    const { times, wrong } = await player.ask<{ readonly times: readonly number[]; readonly wrong: number }>({
      do: 'play',
    });
    await player.stop();
    const measured = spread(times);
    tell({
      name: 'hostile-calls',
      title: `Thread time of ${times.length} hostile calls`,
      unit: 'ms',
      measured,
      runs: times.length,
      targets: [below(measured.most, 100, 'the longest'), below(wrong, 1, 'answered wrongly')],
      notes: [],
    });
  },
};
