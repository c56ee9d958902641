import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test from 'ava';
import { scenarios } from '../../../../plugins/cloud-simulator/knobs/scenarios.ts';

const launcher = join(import.meta.dirname, '../../../../host/bin/muster');

test('a simulated cloud shows the seed of its command line, with the scenario of its start and every other one', async (t) => {
  const args = ['simulator', 'start', '--port', '0', '--seed', '4711', '--scenario', 'chaos'];
  const child = spawn(launcher, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => child.kill());
  const [line] = await once(child.stdout, 'data');
  const url = `${/on (http:\S+\d):/.exec(String(line))?.[1]}/_sim/knobs`;
  const read = async (answer: Promise<Response>) => {
    const { seed, scenario } = (await (await answer).json()) as { seed: number; scenario: string };
    return { seed, scenario };
  };
  t.deepEqual(await read(fetch(url)), { seed: 4711, scenario: 'chaos' });
  for (const scenario of Object.keys(scenarios)) {
    await fetch(url, { method: 'POST', body: JSON.stringify({ scenario }) });
    t.deepEqual(await read(fetch(url)), { seed: 4711, scenario });
  }
});
