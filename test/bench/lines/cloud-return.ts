import { setTimeout as wait } from 'node:timers/promises';
import { spread } from '../measure/numbers.ts';
import { json } from '../processes/http.ts';
import { below } from '../report/row.ts';
import { asOnAws } from './as-on-aws.ts';
import type { Line } from './line.ts';
import { completed, fresh, provision } from './provisioning.ts';

const machines = 1_000;
/** Between two looks of the broker at what goes: the runs begin at different times of it. */
const look_ms = 2_000;
const patienceMs = 120_000;

interface Returned {
  /** Until the return is completed. */
  readonly seconds: number;
  /** Until none of the named machines lived any more. */
  readonly ended: number;
  readonly throttled: number;
}

/** What a fleet that refills itself takes to be given back, at AWS's rates: whole, and all but one of its machines. */
export const cloudReturn: Line = {
  names: ['cloud-return', 'cloud-return-most'],

  async run({ quick }, wanted, tell) {
    const runs = quick ? 1 : 4;
    for (const [name, count] of [
      ['cloud-return', machines],
      ['cloud-return-most', machines - 1],
    ] as const) {
      if (!wanted(name)) continue;
      const done: Returned[] = [];
      for (let run = 0; run < runs; run++) done.push(await giveBack(count, (look_ms * run) / runs));
      const measured = spread(done.map((each) => each.seconds));
      const ended = spread(done.map((each) => each.ended));
      const throttled = done.reduce((sum, each) => sum + each.throttled, 0);
      tell({
        name,
        title: `Return of ${count} of ${machines} from a maintain fleet`,
        unit: 's',
        measured,
        runs,
        targets: [below(measured.most, 10, 's'), { text: 'none throttled', met: throttled === 0 }],
        notes: [
          `the last machine ended after ${ended.median.toFixed(2)} s (${ended.most.toFixed(2)}); ${throttled} calls refused`,
        ],
      });
    }
  },
};

async function giveBack(count: number, delayMs: number): Promise<Returned> {
  const both = await fresh(asOnAws({}));
  const { broker, cloud } = both;
  const { request_ids } = await provision(both, { machines, each: machines, templates: ['maintain'] });
  const { machines: made } = await json(`${broker.api}/requests/${request_ids[0]}/status`);
  const machine_ids: string[] = made.slice(0, count).map(({ machine_id }: { machine_id: string }) => machine_id);
  await wait(delayMs);
  const before = await cloud.mark();
  const began = performance.now();
  const since = () => (performance.now() - began) / 1000;
  const { request_id } = await json(`${broker.api}/machines/return`, 'POST', { machine_ids });
  const finished = completed(broker, [request_id], patienceMs).then(since);
  // Waited for below, after the other.
  finished.catch(() => undefined);
  const ended = (async () => {
    while ((await cloud.running()) > machines - count) {
      if (since() * 1000 > patienceMs)
        throw new Error(`Machines live ${patienceMs / 1000} s after they were given back.`);
      await wait(50);
    }
    return since();
  })();
  const [seconds, last] = [await finished, await ended];
  const { throttled } = await cloud.calls(before);
  const running = await cloud.running();
  if (running !== machines - count)
    throw new Error(`${running} machines live, of ${machines - count} that were to stay.`);
  await broker.stop();
  return { seconds, ended: last, throttled };
}
