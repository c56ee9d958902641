/**
 * A process: the brokers of some directories, put together as the server does it, with nobody to carry out what they
 * store.
 */
import { loadConfiguration } from '../../../config/load.ts';
import { silentLog } from '../../../core/contract/log.ts';
import { compose } from '../../../host/compose.ts';
import { createApp } from '../../../host/rest/app.ts';

/** Where a broker keeps its data, and variables of its configuration. */
export interface Place {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

const urls: string[] = [];
for (const { directory, env } of JSON.parse(process.argv[2] ?? '[]') as readonly Place[]) {
  const loaded = await loadConfiguration({ cwd: directory, env: { MUSTER_DATA_DIR: directory, ...env } });
  const app = createApp({ broker: await compose({ loaded, log: silentLog, loop: 'none' }) });
  urls.push(await app.listen({ host: '127.0.0.1', port: 0 }));
}
process.on('message', () => process.send?.({ urls }));
process.on('disconnect', () => process.exit());
