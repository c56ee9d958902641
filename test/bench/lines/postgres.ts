import { join } from 'node:path';
import { postgresServer } from '../../support/postgres-server.ts';
import { against } from '../measure/against.ts';
import { startBroker, startWithoutLoop } from '../processes/broker.ts';
import { Child } from '../processes/child.ts';
import { openCloud } from '../processes/cloud.ts';
import { call, json } from '../processes/http.ts';
import { workplace } from '../processes/workplace.ts';
import type { Line } from './line.ts';
import { completed } from './provisioning.ts';

/** As durable as a server is by default. */
const durable = { fsync: 'on', full_page_writes: 'on' };

/** Requests for machines and questions about one, with PostgreSQL as the storage. */
export const postgres: Line = {
  names: ['postgres-post', 'postgres-status'],

  async run({ rounds, seconds }, wanted, tell) {
    const server = await postgresServer(durable);
    try {
      const storage = { type: 'postgres', url: server.url };
      if (wanted('postgres-post')) {
        const broker = await startWithoutLoop(workplace({}, {}, { storage }));
        const bare = Child.of(join(import.meta.dirname, '../baselines/write.ts'), [server.url]);
        const { url } = await bare.ask<{ url: string }>({ do: 'start' });
        tell(
          await against({
            name: 'postgres-post',
            title: 'POST a request on PostgreSQL',
            pairs: [
              {
                subject: { url: `${broker.api}/machines/request`, pid: broker.pid },
                baseline: { url: `${url}/api/v1/machines/request`, pid: bare.pid },
              },
            ],
            call: { method: 'POST', body: JSON.stringify({ template_id: 'run', machine_count: 1 }) },
            least: 0.5,
            rate: 5_000,
            cpuCounts: false,
            rounds,
            seconds,
          }),
        );
        await Promise.all([bare.stop(), broker.stop()]);
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
