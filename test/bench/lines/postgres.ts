import { join } from 'node:path';
import { postgresServer } from '../../support/postgres-server.ts';
import { against, type Comparison } from '../measure/against.ts';
import { startBroker, startWithoutLoop } from '../processes/broker.ts';
import { Child } from '../processes/child.ts';
import { openCloud } from '../processes/cloud.ts';
import { call, json } from '../processes/http.ts';
import { workplace } from '../processes/workplace.ts';
import type { Line } from './line.ts';
import { completed } from './provisioning.ts';

/** As durable as a server is by default. */
const durable = { fsync: 'on', full_page_writes: 'on' };

/** What differs between two rows about the same calls. */
type Told = 'name' | 'title' | 'least' | 'rate';

/** Requests for machines and questions about one, with PostgreSQL as the storage. */
export const postgres: Line = {
  names: ['postgres-post', 'postgres-post-row', 'postgres-status'],

  async run({ rounds, seconds }, wanted, tell) {
    const server = await postgresServer(durable);
    try {
      const storage = { type: 'postgres', url: server.url };
      if (wanted('postgres-post') || wanted('postgres-post-row')) {
        const directory = workplace({}, {}, { storage });
        const broker = await startWithoutLoop(directory);
        const subject = { url: `${broker.api}/machines/request`, pid: broker.pid };
        /** The same calls at the broker and at a bare server. */
        const beside = async (file: string, args: readonly string[], row: Pick<Comparison, Told>) => {
          const bare = Child.of(join(import.meta.dirname, '../baselines', file), args);
          const { url } = await bare.ask<{ url: string }>({ do: 'start' });
          const baseline = { url: `${url}/api/v1/machines/request`, pid: bare.pid };
          const call = { method: 'POST', body: JSON.stringify({ template_id: 'run', machine_count: 1 }) } as const;
          tell(await against({ ...row, pairs: [{ subject, baseline }], call, cpuCounts: false, rounds, seconds }));
          await bare.stop();
        };
        if (wanted('postgres-post'))
          await beside('same-commit.ts', [directory, server.url], {
            name: 'postgres-post',
            title: 'POST a request on PostgreSQL',
            least: 0.5,
            rate: 5_000,
          });
        if (wanted('postgres-post-row'))
          await beside('write.ts', [server.url], {
            name: 'postgres-post-row',
            title: 'The same, by a bare server that stores one row',
          });
        await broker.stop();
      }
      if (wanted('postgres-status')) {
        const directory = workplace({}, {}, { storage: { ...storage, schema: 'reads' } });
        await openCloud(directory, { boot_ms: 50 });
        const broker = await startBroker(directory);
        const asked = await json(`${broker.api}/machines/request`, 'POST', { template_id: 'run', machine_count: 1 });
        await completed(broker, [asked.request_id]);
        const path = `/requests/${asked.request_id}/status`;
        const { type, body } = await call(`${broker.api}${path}`);
        const bare = Child.of(join(import.meta.dirname, '../baselines/read.ts'));
        const { url } = await bare.ask<{ url: string }>({ pages: [{ path, type, body: body.toString('base64') }] });
        const subject = { url: `${broker.api}${path}`, pid: broker.pid };
        const baseline = { url: `${url}${path}`, pid: bare.pid };
        const title = 'GET status on PostgreSQL, 1 machine';
        tell(
          await against({
            name: 'postgres-status',
            title,
            pairs: [{ subject, baseline }],
            least: 0.35,
            cpuCounts: false,
            rounds,
            seconds,
          }),
        );
        await Promise.all([bare.stop(), broker.stop()]);
      }
    } finally {
      await server.remove();
    }
  },
};
