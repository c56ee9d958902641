import { join } from 'node:path';
import { against } from '../measure/against.ts';
import { startWithoutLoop } from '../processes/broker.ts';
import { Child } from '../processes/child.ts';
import { workplace } from '../processes/workplace.ts';
import type { Line } from './line.ts';

/** Requests for machines as fast as they are answered, while nobody carries them out. */
export const writes: Line = {
  names: ['post'],

  async run({ rounds, seconds }, _wanted, tell) {
    const directory = workplace();
    const broker = await startWithoutLoop(directory);
    const bare = Child.of(join(import.meta.dirname, '../baselines/write.ts'), [directory]);
    const { url } = await bare.ask<{ url: string }>({ do: 'start' });
    tell(
      await against({
        name: 'post',
        title: 'POST a request, closed loop, loop paused',
        pairs: [
          {
            subject: { url: `${broker.api}/machines/request`, pid: broker.pid },
            baseline: { url: `${url}/api/v1/machines/request`, pid: bare.pid },
          },
        ],
        call: { method: 'POST', body: JSON.stringify({ template_id: 'run', machine_count: 1 }) },
        least: 0.5,
        cpuCounts: false,
        rounds,
        seconds,
      }),
    );
    await Promise.all([bare.stop(), broker.stop()]);
  },
};
