/** A process: a simulated cloud whose clock stands until it is advanced. */
import { enableCompileCache } from 'node:module';

// Never the usual one: that lies where others may put something.
enableCompileCache(new URL('../../../node_modules/.cache/compile', import.meta.url).pathname);
const { startSimulator } = await import('../../../plugins/cloud-simulator/server/start-simulator.ts');
const { standingClock } = await import('../../../plugins/cloud-simulator/clock.ts');

const simulator = await startSimulator({ clock: standingClock() });
process.on('message', () => process.send?.({ url: simulator.url }));
process.on('disconnect', () => process.exit());
