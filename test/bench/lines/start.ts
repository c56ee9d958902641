import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { spread } from '../measure/numbers.ts';
import { startBroker } from '../processes/broker.ts';
import { rssMb } from '../processes/usage.ts';
import { workplace } from '../processes/workplace.ts';
import { below } from '../report/row.ts';
import type { Line } from './line.ts';

const idleMs = 5_000;

/**
 * From the start of the process to its first answer, on an empty data directory, with the compile cache of an earlier
 * start.
 */
export const start: Line = {
  names: ['start'],

  async run({ quick }, _wanted, tell) {
    const runs = quick ? 3 : 7;
    const times: number[] = [];
    let touched = 0;
    for (let run = -1; run < runs; run++) {
      const directory = workplace();
      const broker = await startBroker(directory);
      // The first one fills the cache.
      if (run >= 0) times.push(broker.started_ms);
      if (existsSync(join(directory, 'simulator.json'))) touched += 1;
      await broker.stop();
    }
    const measured = spread(times);
    const targets = [below(measured.median, 350, 'ms'), { text: 'cloud untouched', met: touched === 0 }];
    tell({ name: 'start', title: 'Start to first answer', unit: 'ms', measured, runs, targets, notes: [] });
  },
};

/** Memory of a broker that has nothing to do, loop thread included. */
export const idle: Line = {
  names: ['idle'],

  async run({ quick }, _wanted, tell) {
    const runs = quick ? 1 : 3;
    const brokers = [];
    for (let run = 0; run < runs; run++) brokers.push(await startBroker(workplace()));
    await wait(idleMs);
    const measured = spread(brokers.map((broker) => rssMb(broker.pid) ?? Number.NaN));
    await Promise.all(brokers.map((broker) => broker.stop()));
    tell({
      name: 'idle',
      title: 'Memory when idle (RSS)',
      unit: 'MB',
      measured,
      runs,
      targets: [below(measured.median, 130, 'MB')],
      notes: [],
    });
  },
};
