import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { spread } from '../measure/numbers.ts';
import { largestTransaction, threadRecord, type ThreadRecord } from '../measure/thread-record.ts';
import { watched } from '../processes/broker.ts';
import { json } from '../processes/http.ts';
import { workplace } from '../processes/workplace.ts';
import { below } from '../report/row.ts';
import type { Line } from './line.ts';
import { completed, freshAt, provision, type Provisioning } from './provisioning.ts';

const machines = 10_000;
const patience_ms = 300_000;
const mostRows = 200;

type Phase = 'accept' | 'run' | 'accept the return' | 'return';

interface Done {
  readonly template: string;
  readonly phases: ReadonlyMap<Phase, ThreadRecord & { readonly seconds: number }>;
  readonly rows: number;
}

/**
 * What one request of 10 000 machines, of which 9999 are returned, does to the thread that has to care for all others
 * too.
 */
export const bigRequest: Line = {
  names: ['big-request'],

  async run({ quick }, _wanted, tell) {
    const done: Done[] = [];
    for (const template of quick ? ['fleet'] : ['fleet', 'run', 'maintain']) done.push(await live(template));
    const blocks = done.map(({ phases }) => Math.max(...[...phases.values()].map(({ blocked_ms }) => blocked_ms)));
    const rows = Math.max(...done.map((each) => each.rows));
    const measured = spread(blocks);
    tell({
      name: 'big-request',
      title: 'Loop blocked by a request of 10 000 machines',
      unit: 'ms',
      measured,
      runs: done.length,
      targets: [below(measured.most, 50, 'ms'), { text: `rows ≤ ${mostRows}`, met: rows <= mostRows }],
      notes: [`the largest transaction wrote ${rows} rows`, ...done.map(told)],
    });
  },
};

async function live(template: string): Promise<Done> {
  const directory = workplace({}, { limits: { max_instances_per_request: machines } });
  const watch = join(directory, 'watch.jsonl');
  const both = await freshAt(directory, { env: watched(watch) });
  const { broker, cloud } = both;
  // The first call to the cloud loads the SDK, once in the life of a process.
  await provision(both, { machines: 1, each: 1, templates: [template], patience_ms });
  const times = new Map<Phase, readonly [number, number]>();
  const timed = async <T>(phase: Phase, work: Promise<T>): Promise<T> => {
    const began = Date.now();
    const value = await work;
    times.set(phase, [began, Date.now()]);
    return value;
  };
  const ask = json(`${broker.api}/machines/request`, 'POST', { template_id: template, machine_count: machines });
  const { request_id } = await timed('accept', ask);
  await timed('run', completed(broker, [request_id], patience_ms));
  const machine_ids = (await machinesOf(both, request_id)).slice(1);
  const giveBack = json(`${broker.api}/machines/return`, 'POST', { machine_ids });
  const { request_id: return_id } = await timed('accept the return', giveBack);
  await timed('return', completed(broker, [return_id], patience_ms));
  const running = await cloud.running();
  if (running !== 2) throw new Error(`${running} machines live, of two that were to stay.`);
  // The watch writes four times a second.
  await wait(500);
  await broker.stop();
  const phases = [...times].map(
    ([phase, [began, ended]]) =>
      [phase, { ...threadRecord(watch, began, ended), seconds: (ended - began) / 1000 }] as const,
  );
  return { template, phases: new Map(phases), rows: largestTransaction(watch) };
}

/** The ids of all machines of a request. */
export async function machinesOf({ broker }: Provisioning, request_id: string): Promise<readonly string[]> {
  const { machines: made } = await json(`${broker.api}/requests/${request_id}/status`);
  return made.map(({ machine_id }: { machine_id: string }) => machine_id);
}

function told({ template, phases }: Done): string {
  const parts = [...phases].map(
    ([phase, { seconds, blocked_ms, blocked_cpu_ms, queued_ms }]) =>
      `${phase} ${seconds.toFixed(2)} s (${Math.round(blocked_ms)} ms, ${Math.round(blocked_cpu_ms)} of processor; and ${Math.round(queued_ms)} in which others had it)`,
  );
  return `${template}: ${parts.join(', ')}`;
}
