import { spread } from '../measure/numbers.ts';
import { below } from '../report/row.ts';
import type { Line } from './line.ts';
import { fresh, provision, type Provisioned } from './provisioning.ts';

/** How long 10 000 machines take, and how often the cloud is asked about them. */
export const tenThousand: Line = {
  names: ['ten-thousand'],

  async run({ quick }, _wanted, tell) {
    const runs = quick ? 1 : 3;
    const done: Provisioned[] = [];
    for (let run = 0; run < runs; run++) {
      const both = await fresh();
      done.push(await provision(both, { machines: 10_000 }));
      await both.broker.stop();
    }
    const measured = spread(done.map((each) => each.seconds));
    const describes = spread(done.map((each) => each.describes));
    const note = `${describes.least} – ${describes.most} describe calls, ${done[0]?.launches} launches, ${Math.round(spread(done.map((each) => each.rss_mb)).most)} MB at the end`;
    const targets = [below(measured.median, 15, 's'), below(describes.most, 400, 'describes')];
    tell({
      name: 'ten-thousand',
      title: '10 000 machines to running',
      unit: 's',
      measured,
      runs,
      targets,
      notes: [note],
    });
  },
};
