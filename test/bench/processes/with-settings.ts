/**
 * A process: the broker of a directory with its loop thread, put together as the server does it, with other intervals
 * than the usual ones.
 */
import { enableCompileCache } from 'node:module';

// Never the usual one: that lies where others may put something.
enableCompileCache(new URL('../../../node_modules/.cache/compile', import.meta.url).pathname);
const [{ loadConfiguration }, { silentLog }, { compose }, { createApp }] = await Promise.all([
  import('../../../config/load.ts'),
  import('../../../core/contract/log.ts'),
  import('../../../host/compose.ts'),
  import('../../../host/rest/app.ts'),
]);

const [directory = '', settings = '{}'] = process.argv.slice(2);
const loaded = await loadConfiguration({ cwd: directory, env: { MUSTER_DATA_DIR: directory } });
const app = createApp({ broker: await compose({ loaded, log: silentLog, settings: JSON.parse(settings) }) });
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('message', () => process.send?.({ url }));
process.on('disconnect', () => process.exit());
