import type { MessagePort } from 'node:worker_threads';
import { loadPlugins } from '../config/plugins.ts';
import { store } from '../core/extension-points.ts';
import { startLoop } from '../core/lifecycle/loop.ts';
import { containerOf, loopParts, openStore } from './container.ts';
import { forwardedLog } from './forwarded-log.ts';
import { ProviderDurations } from './metrics/provider-durations.ts';
import { ThreadMeter } from './metrics/thread-meter.ts';
import type { FromLoop, LoopThreadData, ToLoop } from './loop-messages.ts';

/** Runs the loop of a worker thread until it is told to stop: loads the plugins again and opens a store of its own. */
export async function runLoop(port: MessagePort, { configuration, plugins_from, owner, settings }: LoopThreadData): Promise<void> {
  const tell = (message: FromLoop): void => port.postMessage(message);
  const plugins = await loadPlugins(configuration.plugins, { cwd: plugins_from });
  const container = containerOf(
    plugins,
    forwardedLog(configuration.server.log_level, (line) => tell({ told: 'log', line })),
  );
  await openStore(container, configuration);
  const thread = new ThreadMeter('loop', 0);
  thread.time(container.get(store));
  const meter = new ProviderDurations();
  const loop = await startLoop({
    ...loopParts(container, configuration, owner),
    meter,
    ...(settings ? { settings } : {}),
    looked: (request_ids, at) => tell({ told: 'looked', request_ids, at }),
  });

  /** Ends the thread, whatever timers a plugin left behind. */
  async function stop(): Promise<void> {
    await loop.stop();
    await container.get(store).close();
    process.exit(0);
  }

  port.on('message', (message: ToLoop) => {
    if (message.do === 'ping') tell(pong(loop.trouble()));
    else if (message.do === 'measure') tell({ told: 'measured', families: [...meter.families(), ...thread.families()] });
    else if (message.do === 'look') loop.look(message.request_ids);
    else void stop();
  });
  tell({ told: 'ready' });
}

const pong = (trouble: string | undefined): FromLoop => ({ told: 'pong', ...(trouble === undefined ? {} : { trouble }) });
