import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Budget } from '../../core/budgets/budget.ts';
import { systemClock } from '../../core/contract/clock.ts';
import { LoopThread } from '../loop/loop-thread.ts';
import type { Family } from '../metrics/family.ts';
import { processFamilies } from '../metrics/process-families.ts';
import { ThreadMeter } from '../metrics/thread-meter.ts';
import { thisBroker } from '../process/this-broker.ts';
import { rateLimits } from '../rest/limits/rate-limits.ts';
import { announce } from '../data-directory/announce.ts';
import type { RunningServer, ServeOptions } from '../http/serve-options.ts';
import { socketPathOf, warnOfOpenAddress } from '../http/socket-path.ts';
import { urlOf } from '../http/url-of.ts';
import { cannotListen } from '../http/serve-http.ts';
import { serverTelemetry } from '../telemetry/compose-telemetry.ts';
import { batchFromJson } from '../telemetry/batch/batch-as-json.ts';
import type { SpanBatch } from '../telemetry/batch/span-batch.ts';
import { StateReader } from './state-reader.ts';
import { WorkerPool } from './worker-pool.ts';
import { ConnectionBalancer } from './connection-balancer.ts';
import type { FromWorker, Question, ToWorker, WorkerData } from './messages.ts';

/**
 * Runs a server whose HTTP is served by several worker processes. This process keeps what exists once: the lock, the
 * loop thread, the counters of the rate limits and `server.json`. It serves no calls itself, so that calls cannot
 * delay the loop. `undo`: what the server holds already. It is disposed when the server closes, and by the caller when
 * the start fails.
 */
export async function serveWithWorkers(options: ServeOptions, undo: AsyncDisposableStack): Promise<RunningServer> {
  const { loaded, log, log_calls = false, api_only = false } = options;
  const { configuration } = loaded;
  const { workers, host, rate_limit } = configuration.server;
  const socket_path = await socketPathOf(options);
  const balancer = new ConnectionBalancer();
  undo.defer(() => balancer.close());
  const { port, address } = await balancer.listen(host, configuration.server.port).catch((cause: unknown) => {
    throw cannotListen(host, configuration.server.port, cause);
  });
  if (socket_path !== null) await balancer.listenOnSocket(socket_path);
  const url = urlOf({ host, port });
  const plugins_from = loaded.file === undefined ? process.cwd() : dirname(loaded.file);
  const limits = rateLimits(rate_limit, systemClock);
  const meter = new ThreadMeter('primary', 0);
  const refreshed = (request_ids: readonly string[], at: number) =>
    workerPool.broadcast({ do: 'refreshed', request_ids, at });
  const broker = api_only ? undefined : thisBroker(configuration);
  const own = broker === undefined ? {} : { broker_id: broker.broker_id };
  const telemetry = await serverTelemetry({ loaded, log, ...own, families });
  undo.defer(() => telemetry.close());
  const traced = telemetry.tracing ? { tracing: telemetry.tracing } : {};
  const spans = (batch: SpanBatch): void => telemetry.add(batch);
  const loop =
    broker && new LoopThread({ data: { configuration, plugins_from, broker, ...traced }, log, refreshed, spans });
  const state = new StateReader(() => workerPool.sendToOne({ do: 'state' }));
  const data = { configuration, plugins_from, url, bound: address, log_calls, ...own, ...traced };

  async function answerTo(question: Question): Promise<unknown> {
    if (question.ask === 'trouble') return loop?.trouble();
    if (question.ask === 'check') return loop?.check(question.instance);
    if (question.ask === 'discover') return loop?.discover(question.instance);
    if (question.ask === 'calls') return loop?.calls();
    if (question.ask === 'states') return loop?.states();
    if (question.ask === 'take') return limits.take(question.group, question.client);
    return measures();
  }
  /** The metrics of all processes. */
  async function measures(): Promise<readonly (readonly Family[])[]> {
    const [ofWorkers, ofLoop] = await Promise.all([
      workerPool.measures(),
      loop?.measures() ?? ([] as readonly Family[]),
    ]);
    return [[...meter.families(), ...processFamilies(0)], ofLoop, ...ofWorkers];
  }
  async function families(): Promise<readonly (readonly Family[])[]> {
    const [known, counted] = await Promise.all([state.read(), measures()]);
    return [known, ...counted];
  }
  function handle(message: FromWorker, reply: (message: ToWorker) => void): void {
    if (message.event === 'refresh') loop?.refresh(message.request_ids);
    if (message.event === 'spans') spans(batchFromJson(message.batch));
    if (message.event === 'state') state.received(message.families);
    if (message.event !== 'question') return;
    const { id, question } = message;
    void answerTo(question).then((answer) => reply({ do: 'answer', id, answer }));
  }
  let replaced: Pick<WorkerData, 'budgets'> = {};
  const start = (worker: number): ToWorker => ({
    do: 'start',
    data: { ...data, ...replaced, worker } satisfies WorkerData,
  });
  async function useBudgets(budgets: readonly Budget[]): Promise<void> {
    replaced = { budgets };
    loop?.useBudgets(budgets);
    await workerPool.useBudgets(budgets);
  }
  const workerPool = new WorkerPool({ workers, log, balancer, start, handle });

  undo.defer(() => loop?.stop());
  undo.defer(() => workerPool.stop());
  undo.defer(() => balancer.close());
  const { greeting, warnings } = await workerPool.begin();
  // First /readyz refuses, then other brokers get the requests, then the port is closed.
  undo.defer(async () => {
    workerPool.broadcast({ do: 'drain' });
    await Promise.all([loop?.stop(), sleep(configuration.server.drain_s * 1_000)]);
  });
  if (!api_only) undo.use(announce(options, port, socket_path));
  warnOfOpenAddress(address, host, log);
  for (const wrong of warnings) log.warn({}, wrong);
  let closing: Promise<void> | undefined;
  return { url, greeting, useBudgets, close: () => (closing ??= undo.disposeAsync()) };
}
