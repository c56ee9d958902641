import { postgresServer } from '../../support/postgres-server.ts';
import { against, type Pair, type Side } from '../measure/against.ts';
import { startWithoutLoop, type Broker } from '../processes/broker.ts';
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
    const measure = async (
      name: string,
      title: string,
      places: readonly { readonly limited: object; readonly free: object }[],
    ) => {
      const brokers: Broker[] = [];
      const side = async (configuration: object): Promise<Side> => {
        const broker = await startWithoutLoop(workplace({}, {}, configuration));
        brokers.push(broker);
        return { url: `${broker.api}/machines/request`, pid: broker.pid };
      };
      const pairs: Pair[] = [];
      for (const { limited, free } of places)
        pairs.push({ subject: await side({ ...limited, budgets }), baseline: await side(free) });
      tell(
        await against({
          name,
          title,
          pairs,
          call: { method: 'POST', body: JSON.stringify({ template_id: 'run', machine_count: 1 }) },
          least: 0.85,
          cpuCounts: false,
          rounds,
          seconds,
        }),
      );
      await Promise.all(brokers.map((broker) => broker.stop()));
    };
    if (wanted('post-budgets'))
      await measure(
        'post-budgets',
        'POST a request with five budgets, by without',
        Array.from({ length: 3 }, () => ({ limited: {}, free: {} })),
      );
    if (!wanted('postgres-post-budgets')) return;
    const server = await postgresServer({ fsync: 'on', full_page_writes: 'on' });
    const storage = (schema: string) => ({ storage: { type: 'postgres', url: server.url, schema } });
    try {
      const title = 'POST a request with five budgets on PostgreSQL, by without';
      await measure('postgres-post-budgets', title, [{ limited: storage('limited'), free: storage('free') }]);
    } finally {
      await server.remove();
    }
  },
};
