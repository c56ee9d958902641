import type { MessagePort } from 'node:worker_threads';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { eventSinks, logger, store } from '../../core/wiring/extension-points.ts';
import { sinkName } from '../../core/reconciler/background/event-delivery.ts';
import { startLoop, type RunningLoop } from '../../core/reconciler/loop.ts';
import { SharedCallTracking, whoseSymbol } from './diagnosis/shared-call-tracking.ts';
import { containerOf, loopParts, openStore } from '../container.ts';
import { forwardedLog } from '../process/forwarded-log.ts';
import { ProviderDurations } from '../metrics/provider-durations.ts';
import { ThreadMeter } from '../metrics/thread-meter.ts';
import { toldCalls } from '../metrics/told-calls.ts';
import { placesOf } from './diagnosis/plugin-places.ts';
import { keepUncaughtErrors } from './diagnosis/uncaught-errors.ts';
import type { FromLoop, LoopThreadData, ToLoop } from './loop-messages.ts';

/** Runs the loop of a worker thread until it is told to stop: loads the plugins again and opens a store of its own. */
export async function runLoop(
  port: MessagePort,
  { configuration, plugins_from, owner, settings, marks, quarantine, stopped }: LoopThreadData,
): Promise<void> {
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
  const names = [...configuration.providers.map(({ name }) => name), ...container.all(eventSinks).map(({ name }) => sinkName(name))];
  tell({ told: 'names', names });
  const watch = new SharedCallTracking(marks, names);
  Object.defineProperty(globalThis, Symbol.for(whoseSymbol), { value: () => watch.whose() });
  process.on('exit', () => watch.lastWords());
  let loop: RunningLoop | undefined;
  const places = placesOf(configuration.plugins, plugins, configuration.providers, plugins_from);
  keepUncaughtErrors(watch, places, container.get(logger), ({ name, of }, message) => {
    // What a call for a request left behind is charged to that request: it is told, and nothing more.
    if (!of) loop?.failed(name, message);
  });
  const running = await startLoop({
    ...loopParts(container, configuration, owner),
    meter: toldCalls(meter, container.get(logger)),
    watch,
    quarantine,
    stopped,
    ...(settings ? { settings } : {}),
    looked: (request_ids, at) => tell({ told: 'looked', request_ids, at }),
  });
  loop = running;

  async function check(id: number, instance: string): Promise<void> {
    const checked = await running.check(instance).catch(() => undefined);
    tell({ told: 'checked', id, ...(checked ? { checked } : {}) });
  }

  /** Ends the thread, whatever timers a plugin left behind. */
  async function stop(): Promise<void> {
    await running.stop();
    await container.get(store).close();
    process.exit(0);
  }

  port.on('message', (message: ToLoop) => {
    if (message.do === 'ping') tell(pong(running.trouble()));
    else if (message.do === 'measure') tell({ told: 'measured', families: [...meter.families(), ...thread.families()] });
    else if (message.do === 'check') void check(message.id, message.instance);
    else if (message.do === 'look') running.look(message.request_ids);
    else void stop();
  });
  tell({ told: 'ready' });
}

const pong = (trouble: string | undefined): FromLoop => ({ told: 'pong', ...(trouble === undefined ? {} : { trouble }) });
