import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { spread } from '../measure/numbers.ts';
import { threadRecord, type ThreadRecord } from '../measure/thread-record.ts';
import { watched } from '../processes/broker.ts';
import { json } from '../processes/http.ts';
import { workplace } from '../processes/workplace.ts';
import { below } from '../report/row.ts';
import { machinesOf } from './big-request.ts';
import type { Line } from './line.ts';
import { freshAt, provision } from './provisioning.ts';

const machines = 10_000;
const returns = 40;
const patience_ms = 300_000;
/** After what follows a launch, and after the releases: what is left is watching. */
const settleMs = 3_000;

interface Listed {
  readonly request_id: string;
  readonly status: string;
}

/**
 * What it costs the loop's thread to watch forty returns of one machine each, of one request of 10 000, whose machines
 * take long to go.
 */
export const returnsOfABigRequest: Line = {
  names: ['returns-of-a-big-request'],

  async run({ quick }, _wanted, tell) {
    const watchMs = quick ? 4_000 : 20_000;
    // The sweep after the start would fall into one of the two times that are compared.
    const directory = workplace({}, { limits: { max_instances_per_request: machines }, sweep: 'off' });
    const watch = join(directory, 'watch.jsonl');
    const both = await freshAt(directory, { knobs: { shutdown_ms: 600_000 }, env: watched(watch) });
    const { broker } = both;
    const { request_ids } = await provision(both, { machines, each: machines, templates: ['fleet'], patience_ms });
    const ids = await machinesOf(both, request_ids[0] ?? '');
    const over = async (): Promise<ThreadRecord> => {
      await wait(settleMs);
      const began = Date.now();
      await wait(watchMs);
      return threadRecord(watch, began, Date.now());
    };
    const before = await over();
    // From all over the request.
    const some = Array.from({ length: returns }, (_, i) => ids[Math.floor((i * machines) / returns)]);
    for (const id of some) await json(`${broker.api}/machines/return`, 'POST', { machine_ids: [id] });
    await underWay(broker.api);
    const during = await over();
    await underWay(broker.api);
    await broker.stop();
    const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
    const cost = Math.max(0, during.active - before.active) * 100;
    tell({
      name: 'returns-of-a-big-request',
      title: `Loop's time for ${returns} returns from a request of 10 000`,
      unit: '%',
      measured: spread([cost]),
      runs: 1,
      targets: [below(cost, 5, '%')],
      notes: [
        `active ${percent(during.active)}, before them ${percent(before.active)}; processor ${percent(during.cpu)} and ${percent(before.cpu)}; blocked for ${Math.round(during.blocked_ms)} ms at most`,
      ],
    });
  },
};

/** Waits until all returns are known to be under way; throws where one has ended. */
async function underWay(api: string): Promise<void> {
  for (const end = performance.now() + patience_ms; performance.now() < end; await wait(100)) {
    const { requests } = await json(`${api}/requests/?limit=1000`);
    const statuses = requests.flatMap(({ request_id, status }: Listed) =>
      request_id.startsWith('ret-') ? [status] : [],
    );
    const ended = statuses.find((status: string) => status !== 'pending' && status !== 'in_progress');
    if (ended !== undefined) throw new Error(`A return is ${ended} that was to be watched.`);
    if (statuses.filter((status: string) => status === 'in_progress').length === returns) return;
  }
  throw new Error(`Not all of ${returns} returns were under way within ${patience_ms / 1000} s.`);
}
