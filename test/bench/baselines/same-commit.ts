/**
 * A process: fastify that checks the same body and commits what the broker commits for it, by the same storage. The
 * broker's own work is what it lacks.
 */
import { loadConfiguration } from '../../../config/load.ts';
import { systemClock } from '../../../core/contract/clock.ts';
import { silentLog } from '../../../core/contract/log.ts';
import type { Change, StorageContext } from '../../../core/index.ts';
import { compose } from '../../../host/compose.ts';
import { createApp } from '../../../host/rest/app.ts';
import { MemoryStore } from '../../../plugins/storage-memory/index.ts';
import { openStore } from '../../../plugins/storage-postgres/postgres-store.ts';
import { serveWrites } from './serve-writes.ts';

const [directory = '', url = ''] = process.argv.slice(2);
const context: StorageContext = { clock: systemClock, log: silentLog };
const changes = await changesOfOnePost();
const store = await openStore({ url, schema: 'bare', pool: 10, listen: true, poll_ms: 1_000, migrate: true }, context);
await serveWrites((request_id) => store.commit(changes.map((change) => named(change, request_id))));

/** What a broker commits for one call. */
async function changesOfOnePost(): Promise<readonly Change[]> {
  const commits: (readonly Change[])[] = [];
  const memory = new MemoryStore(context);
  const commit = memory.commit.bind(memory);
  memory.commit = (all) => {
    commits.push(all);
    return commit(all);
  };
  const loaded = await loadConfiguration({ cwd: directory, env: { MUSTER_DATA_DIR: directory } });
  const app = createApp({ broker: await compose({ loaded, log: silentLog, loop: 'none', store: memory }) });
  const payload = { template_id: 'run', machine_count: 1 };
  await app.inject({ method: 'POST', url: '/api/v1/machines/request', payload });
  const found = commits.find((all) => all.some((change) => 'kind' in change && change.kind === 'request'));
  if (!found) throw new Error('The broker committed no request.');
  return found;
}

/** The change for a request with another id. */
const named = (change: Change, request_id: string): Change =>
  'record' in change ? ({ ...change, record: { ...change.record, request_id } } as Change) : change;
