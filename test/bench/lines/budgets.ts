import { postgresServer } from '../../support/postgres-server.ts';
import { against, type Comparison } from '../measure/against.ts';
import { nodeFlags, nodeFlagsWithDatabase, startWithoutLoop } from '../processes/broker.ts';
import { workplace } from '../processes/workplace.ts';
import type { Line } from './line.ts';

/** Five budgets that all count the request: each is checked, and each sum changes. */
const budgets = [
  { name: 'all', max_machines: 1_000_000_000, max_vcpus: 1_000_000_000, max_usd_per_hour: 1_000_000_000 },
  { name: 'template', match: { template_id: 'run' }, max_machines: 1_000_000_000 },
  { name: 'team', match: { tags: { team: 'bench' } }, max_vcpus: 1_000_000_000 },
  { name: 'template-team', match: { template_id: 'run', tags: { team: 'bench' } }, max_usd_per_hour: 1_000_000_000 },
  { name: 'day', match: { template_id: 'run' }, max_usd_per_day: 1_000_000_000 },
];

/** Requests for machines as fast as they are answered: with five budgets, and without. */
export const postWithBudgets: Line = {
  names: ['post-budgets', 'postgres-post-budgets'],

  async run({ rounds, seconds }, wanted, tell) {
    const measure = async (name: string, title: string, storages: readonly [object, object], flags = nodeFlags) => {
      const [limited, free] = await Promise.all([
        startWithoutLoop(workplace({}, {}, { ...storages[0], budgets }), flags),
        startWithoutLoop(workplace({}, {}, storages[1]), flags),
      ]);
      const side = (broker: typeof free): Comparison['subject'] => ({
        url: `${broker.api}/machines/request`,
        pid: broker.pid,
      });
      tell(
        await against({
          name,
          title,
          subject: side(limited),
          baseline: side(free),
          call: { method: 'POST', body: JSON.stringify({ template_id: 'run', machine_count: 1 }) },
          least: 0.85,
          cpuCounts: false,
          rounds,
          seconds,
        }),
      );
      await Promise.all([limited.stop(), free.stop()]);
    };
    if (wanted('post-budgets'))
      await measure('post-budgets', 'POST a request with five budgets, by without', [{}, {}]);
    if (!wanted('postgres-post-budgets')) return;
    const server = await postgresServer({ fsync: 'on', full_page_writes: 'on' });
    const storage = (schema: string) => ({ storage: { type: 'postgres', url: server.url, schema } });
    try {
      const title = 'POST a request with five budgets on PostgreSQL, by without';
      await measure('postgres-post-budgets', title, [storage('limited'), storage('free')], nodeFlagsWithDatabase);
    } finally {
      await server.remove();
    }
  },
};
