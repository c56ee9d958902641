import { join } from 'node:path';
import { silentLog } from '../../../core/contract/log.ts';
import { systemClock } from '../../../core/contract/clock.ts';
import type { RequestRecord } from '../../../core/model/request.ts';
import sqlite from '../../../plugins/storage-sqlite/index.ts';
import { spread } from '../measure/numbers.ts';
import { startWithoutLoop } from '../processes/broker.ts';
import { call } from '../processes/http.ts';
import { workplace } from '../processes/workplace.ts';
import { below } from '../report/row.ts';
import type { Line } from './line.ts';

const few = 1_000;
const rowsAtOnce = 5_000;
/** Lists by their filters and orders, of which the first pages are read. */
const lists = ['limit=50', 'limit=50&status=completed', 'limit=50&sort=created_at:asc', 'limit=200'];

/**
 * Lists of requests with a thousand and with a million in the store: what a page costs must not depend on how many
 * there are.
 */
export const paging: Line = {
  names: ['paging'],
  slow: true,

  async run({ quick, seconds }, _wanted, tell) {
    const many = quick ? 100_000 : 1_000_000;
    const costs = [await costOf(few, seconds), await costOf(many, seconds)] as const;
    const ratios = lists.map((_, i) => (costs[1][i] ?? 0) / (costs[0][i] ?? 1));
    const worst = Math.max(...ratios);
    tell({
      name: 'paging',
      title: `Page of a list: ${many} requests against ${few}`,
      unit: '×',
      measured: spread(ratios),
      runs: lists.length,
      targets: [below(worst, 2, 'times the time')],
      notes: lists.map((list, i) => `${list}: ${costs[0][i]?.toFixed(2)} and ${costs[1][i]?.toFixed(2)} ms`),
    });
  },
};

/** Milliseconds of a page, for each list. */
async function costOf(count: number, seconds: number): Promise<readonly number[]> {
  const directory = workplace();
  await fill(join(directory, 'muster.db'), count);
  const broker = await startWithoutLoop(directory);
  const costs: number[] = [];
  for (const list of lists) {
    const times: number[] = [];
    const end = performance.now() + seconds * 1_000;
    for (let n = 0; performance.now() < end || n < 20; n++) {
      const began = performance.now();
      const { status } = await call(`${broker.api}/requests/?${list}&page=${(n % 4) + 1}`);
      if (status !== 200) throw new Error(`A list answered ${status}.`);
      times.push(performance.now() - began);
      await touch(broker.api);
    }
    costs.push(spread(times).median);
  }
  await broker.stop();
  return costs;
}

/** Something changes, so that no kept answer serves. */
async function touch(api: string): Promise<void> {
  await call(`${api}/machines/request`, 'POST', JSON.stringify({ template_id: 'run', machine_count: 1 }));
}

async function fill(path: string, count: number): Promise<void> {
  const [driver] = sqlite.storages ?? [];
  const store = await driver?.open({ path }, { clock: systemClock, log: silentLog });
  if (!store) throw new Error('There is no storage.');
  for (let from = 0; from < count; from += rowsAtOnce) {
    const rows = Array.from({ length: Math.min(rowsAtOnce, count - from) }, (_, i) => record(from + i));
    await store.commit(rows.map((each) => ({ op: 'insert', kind: 'request', record: each })));
  }
  await store.close();
}

function record(index: number): RequestRecord {
  const at = 1_700_000_000_000 + index * 1_000;
  return {
    request_id: `req-${index.toString().padStart(12, '0')}`,
    kind: 'provision',
    status: index % 10 === 0 ? 'failed' : 'completed',
    template_id: 'run',
    machine_count: 1,
    holds: 0,
    delivered: 1,
    provider_type: 'cloud',
    provider_instance: 'simulated',
    message: '1 of 1 machines delivered.',
    created_at: at,
    completed_at: at + 5_000,
    deadline_at: at + 3_600_000,
    next_at: null,
    version: 1,
    epoch: 1,
  };
}
