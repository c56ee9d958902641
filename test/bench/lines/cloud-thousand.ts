import { setTimeout as wait } from 'node:timers/promises';
import { spread } from '../measure/numbers.ts';
import { cpuSeconds } from '../processes/usage.ts';
import { below } from '../report/row.ts';
import { asOnAws } from './as-on-aws.ts';
import type { Line } from './line.ts';
import { fresh, provision, type Provisioned } from './provisioning.ts';

const boot_ms = 2_000;
/** What the broker may add to the time that machines take to boot. */
const allowance = 3;
/** Between two looks of the broker at what comes up: the runs begin at different times of it. */
const look_ms = 2_000;

/** One request of 1000 machines, at AWS's rates, by a broker that has not spoken to its cloud before. */
export const cloudThousand: Line = {
  names: ['cloud-thousand'],

  async run({ quick }, _wanted, tell) {
    const runs = quick ? 1 : 5;
    const done: Provisioned[] = [];
    const busy: number[] = [];
    for (let run = 0; run < runs; run++) {
      const both = await fresh(asOnAws({ boot_ms }));
      await wait((look_ms * run) / runs);
      const before = cpuSeconds(both.broker.pid) ?? Number.NaN;
      done.push(await provision(both, { machines: 1_000, each: 1_000, templates: ['fleet'] }));
      busy.push((cpuSeconds(both.broker.pid) ?? Number.NaN) - before);
      await both.broker.stop();
    }
    const measured = spread(done.map((each) => each.seconds));
    const throttled = done.reduce((sum, each) => sum + each.throttled, 0);
    const describes = spread(done.map((each) => each.describes));
    const bound = boot_ms / 1000 + allowance;
    tell({
      name: 'cloud-thousand',
      title: '1000 machines to running, AWS rates',
      unit: 's',
      measured,
      runs,
      targets: [below(measured.most, bound, 's'), { text: 'none throttled', met: throttled === 0 }],
      notes: [
        `${boot_ms / 1000} s of it boot; ${spread(busy).median.toFixed(2)} s of processor; ${describes.least} – ${describes.most} describe calls, ${throttled} calls refused`,
      ],
    });
  },
};
