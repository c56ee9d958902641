/**
 * A process: the broker of a directory, put together as the server does it, with nobody to carry out what it stores.
 */
import { loadConfiguration } from '../../../config/load.ts';
import { silentLog } from '../../../core/contract/log.ts';
import { compose } from '../../../host/compose.ts';
import { createApp } from '../../../host/rest/app.ts';

const [directory = '', more = '{}'] = process.argv.slice(2);
const env = { MUSTER_DATA_DIR: directory, ...(JSON.parse(more) as Record<string, string>) };
const loaded = await loadConfiguration({ cwd: directory, env });
const app = createApp({ broker: await compose({ loaded, log: silentLog, loop: 'none' }) });
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('message', () => process.send?.({ url }));
process.on('disconnect', () => process.exit());
