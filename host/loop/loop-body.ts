import type { MessagePort } from 'node:worker_threads';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { eventSinks, logger, store } from '../../core/wiring/extension-points.ts';
import { sinkName } from '../../core/reconciler/background/event-delivery.ts';
import { startLoop } from '../../core/reconciler/loop.ts';
import type { RunningLoop } from '../../core/reconciler/running-loop.ts';
import { SharedCallTracking, callOwnerSymbol } from './diagnosis/shared-call-tracking.ts';
import { containerOf, loopParts, openStore } from '../container.ts';
import { forwardedLog } from '../process/forwarded-log.ts';
import { ProviderDurations } from '../metrics/provider-durations.ts';
import { ThreadMeter } from '../metrics/thread-meter.ts';
import { RequestEnds } from '../metrics/request-ends.ts';
import { heldRequests } from '../metrics/held-requests.ts';
import { loggedCalls } from '../metrics/logged-calls.ts';
import { secretsOf } from '../process/secrets.ts';
import { openRecorder } from '../telemetry/telemetry.ts';
import { pluginRootsOf } from './diagnosis/plugin-roots.ts';
import { attributeUncaughtErrors } from './diagnosis/uncaught-errors.ts';
import type { FromLoop, LoopAnswer, LoopQuestion, LoopThreadData, ToLoop } from './loop-messages.ts';

/** Runs the loop in a worker thread until a stop message: loads the plugins again and opens its own store. */
export async function runLoop(
  port: MessagePort,
  {
    configuration,
    plugins_from,
    broker,
    settings,
    tracing,
    call_memory,
    quarantine,
    stopped,
    budgets,
  }: LoopThreadData,
): Promise<void> {
  const send = (message: FromLoop): void => port.postMessage(message);
  const plugins = await loadPlugins(configuration.plugins, { cwd: plugins_from });
  const container = containerOf(
    plugins,
    forwardedLog(configuration.server.log_level, (line) => send({ event: 'log', line })),
  );
  await openStore(container, configuration);
  const thread = new ThreadMeter('loop', 0);
  thread.time(container.get(store));
  const meter = new ProviderDurations();
  const ends = new RequestEnds();
  const names = [
    ...configuration.providers.map(({ name }) => name),
    ...[...container.all(eventSinks), ...configuration.events.sinks].map(({ name }) => sinkName(name)),
  ];
  send({ event: 'names', names });
  const secrets = secretsOf({ configuration, plugins });
  const recorder = tracing && (await openRecorder(tracing, (batch) => send({ event: 'spans', batch }), secrets));
  const watch = new SharedCallTracking(call_memory, names);
  Object.defineProperty(globalThis, Symbol.for(callOwnerSymbol), { value: () => watch.owner() });
  process.on('exit', () => watch.recordExit());
  let loop: RunningLoop | undefined;
  const roots = pluginRootsOf(configuration.plugins, plugins, configuration.providers, plugins_from);
  attributeUncaughtErrors(watch, roots, container.get(logger), ({ name, of }, message) => {
    // An error with a request is charged to that request and only logged.
    if (!of) loop?.failed(name, message);
  });
  const running = await startLoop({
    ...loopParts(container, configuration, broker, settings),
    ...(budgets ? { budgets } : {}),
    meter: loggedCalls(meter, container.get(logger)),
    watch,
    ...(recorder ? { tracer: recorder } : {}),
    quarantine,
    stopped,
    refreshed: (request_ids, at) => send({ event: 'refreshed', request_ids, at }),
    ended: (request) => ends.ended(request),
  });
  loop = running;

  const families = () => [...meter.families(), ...ends.families(), ...heldRequests(running), ...thread.families()];

  async function answer(id: number, question: LoopQuestion): Promise<void> {
    const given = await answerTo(question).catch(() => undefined);
    try {
      send({ event: 'answered', id, answer: given });
    } catch (err) {
      // An answer that cannot be copied to another thread must not end this one.
      container.get(logger).error({ err }, `The answer to the question '${question.ask}' could not be sent.`);
      send({ event: 'answered', id, answer: undefined });
    }
  }

  async function answerTo(question: LoopQuestion): Promise<LoopAnswer> {
    if (question.ask === 'check') return running.check(question.instance);
    if (question.ask === 'discover') return running.discover(question.instance);
    return question.ask === 'calls' ? meter.timings() : running.states();
  }

  /** Stops the loop and ends the thread, also when timers of a plugin are active. */
  async function stop(): Promise<void> {
    await running.stop();
    recorder?.flush();
    await container.get(store).close();
    process.exit(0);
  }

  port.on('message', (message: ToLoop) => {
    if (message.do === 'ping') send(pong(running.trouble()));
    else if (message.do === 'measure') send({ event: 'measured', families: families() });
    else if (message.do === 'answer') void answer(message.id, message.question);
    else if (message.do === 'describe') running.describe(message.template_files);
    else if (message.do === 'budgets') running.useBudgets(message.budgets);
    else if (message.do === 'refresh') running.refresh(message.request_ids);
    else void stop();
  });
  send({ event: 'ready' });
}

const pong = (trouble: string | undefined): FromLoop => ({
  event: 'pong',
  ...(trouble === undefined ? {} : { trouble }),
});
