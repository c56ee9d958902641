import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { spread } from '../measure/numbers.ts';
import { launcher, nodeFlags } from '../processes/broker.ts';
import { Child } from '../processes/child.ts';
import { openCloud } from '../processes/cloud.ts';
import type { FirstCall, Took } from '../processes/first-call.ts';
import { json } from '../processes/http.ts';
import { workplace } from '../processes/workplace.ts';
import { below } from '../report/row.ts';
import type { Line } from './line.ts';
import { completed, fresh, type Provisioning } from './provisioning.ts';

const processes = join(import.meta.dirname, '../processes');
/** As long as that, a broker without requests is watched: longer than its first sweep waits. */
const idleMs = 17_000;

/** What the first word with the cloud adds, and that nobody loads its SDK before. */
export const cloudImport: Line = {
  names: ['cloud-import'],

  async run({ quick }, _wanted, tell) {
    const runs = quick ? 3 : 9;
    const early = await loadedEarly(quick ? 1_000 : idleMs);
    const cloud = await openCloud(workplace(), {});
    const done: FirstCall[] = [];
    for (let run = -1; run < runs; run++) {
      const child = new Child(process.execPath, [...nodeFlags, join(processes, 'first-call.ts')]);
      const answer = await child.ask<FirstCall>({ url: cloud.url });
      await child.stop();
      // The first one fills the cache.
      if (run >= 0) done.push(answer);
    }
    const waits = await firstLaunches(quick ? 1 : 3);
    const measured = spread(done.map((each) => added(each, 'cpu')));
    const wall = spread(done.map((each) => added(each, 'wall')));
    const part = (of: (each: FirstCall) => Took) => Math.round(spread(done.map((each) => of(each).cpu)).median);
    tell({
      name: 'cloud-import',
      title: 'Added by the first call, processor time',
      unit: 'ms',
      measured,
      runs,
      targets: [below(measured.median, 200, 'ms'), { text: 'no SDK before', met: early.length === 0 }],
      notes: [
        `session ${part(({ connect }) => connect)}, SDK ${part(({ load }) => load)}, account and first question ${part(({ ask }) => ask)}, a later one ${part(({ later }) => later)} ms; by the clock ${Math.round(wall.median)} ms (${Math.round(wall.least)} – ${Math.round(wall.most)})`,
        `from a request to its launch: ${waits.map(([first, second]) => `${first} and then ${second}`).join(', ')} ms`,
        ...early.slice(0, 3).map((each) => `loaded too early: ${each}`),
      ],
    });
  },
};

const added = ({ connect, load, ask, later }: FirstCall, what: keyof Took): number =>
  connect[what] + load[what] + ask[what] - later[what];

/**
 * Modules of the SDK that the command line, or a broker with nothing to carry out, loads. That one with a request
 * loads them proves the watch.
 */
async function loadedEarly(watchMs: number): Promise<string[]> {
  const imports = join(workplace(), 'imports');
  const env = { BENCH_IMPORTS: imports, NODE_OPTIONS: `--import=${join(processes, 'watch-imports.ts')}` };
  const loaded = () => (existsSync(imports) ? readFileSync(imports, 'utf8').trim().split('\n') : []);
  for (const command of ['--version', '--help'])
    await promisify(execFile)(launcher, [command], { env: { ...process.env, ...env } });
  const both = await fresh({ knobs: { boot_ms: 50 }, env });
  const { broker } = both;
  for (const path of ['/templates/', '/templates/fleet', '/requests/']) await json(`${broker.api}${path}`);
  await wait(watchMs);
  const early = loaded();
  await launchOf(both);
  await broker.stop();
  if (loaded().length === early.length)
    throw new Error('The watch for modules of the SDK sees none where some are loaded.');
  return early;
}

/**
 * Milliseconds from the answer to a request until the cloud is asked for its machine: of the first request of a
 * broker, and of the second.
 */
async function firstLaunches(runs: number): Promise<(readonly [number, number])[]> {
  const found = [];
  for (let run = 0; run < runs; run++) {
    const both = await fresh({ knobs: { boot_ms: 50 } });
    found.push([await launchOf(both), await launchOf(both)] as const);
    await both.broker.stop();
  }
  return found;
}

async function launchOf({ broker, cloud }: Provisioning): Promise<number> {
  const mark = await cloud.mark();
  const { request_id } = await json(`${broker.api}/machines/request`, 'POST', {
    template_id: 'run',
    machine_count: 1,
  });
  const posted = Date.now();
  await completed(broker, [request_id]);
  const launch = (await cloud.entries(mark)).find(({ action }) => action === 'RunInstances');
  return Date.parse(launch?.at ?? '') - posted;
}
