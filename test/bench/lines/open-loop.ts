import { OpenLoop, type OpenLoopResult } from '../load/open-loop.ts';
import { spread } from '../measure/numbers.ts';
import { below } from '../report/row.ts';
import type { Line } from './line.ts';
import { fresh, provision } from './provisioning.ts';

const per_second = 200;

/**
 * Requests at fixed times, whether or not answers come, while 10 000 machines are made. Each is for one machine, and
 * is made as well.
 */
export const openLoop: Line = {
  names: ['open-loop'],

  async run({ quick }, _wanted, tell) {
    const runs = quick ? 1 : 3;
    const seconds = quick ? 5 : 10;
    const load = new OpenLoop();
    const done: OpenLoopResult[] = [];
    const took: number[] = [];
    for (let run = 0; run < runs; run++) {
      const both = await fresh();
      const body = JSON.stringify({ template_id: 'run', machine_count: 1 });
      const made = provision(both, { machines: 10_000 });
      done.push(await load.run({ url: `${both.broker.api}/machines/request`, per_second, seconds, body }));
      took.push((await made).seconds);
      await both.broker.stop();
    }
    await load.stop();
    const measured = spread(done.map((each) => each.p99_ms));
    const failures = done.reduce((sum, each) => sum + each.failures, 0);
    const worst = (of: (each: OpenLoopResult) => number) => Math.round(Math.max(...done.map(of)));
    const note = `p50 ${spread(done.map((each) => each.p50_ms)).median.toFixed(1)} ms, most ${worst((each) => each.max_ms)} ms, sent at most ${worst((each) => each.behind_ms)} ms late; the 10 000 took ${spread(took).median.toFixed(1)} s`;
    const targets = [below(measured.median, 50, 'ms'), { text: 'none failed', met: failures === 0 }];
    tell({
      name: 'open-loop',
      title: `POST ${per_second}/s beside 10 000 machines, p99`,
      unit: 'ms',
      measured,
      runs,
      targets,
      notes: [note],
    });
  },
};
