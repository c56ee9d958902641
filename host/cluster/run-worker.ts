import type { Socket } from 'node:net';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { isBrokerError } from '../../core/contract/errors.ts';
import { TemplateReview } from '../../core/templates/review.ts';
import { compose, type Broker } from '../compose.ts';
import { connectionBound } from '../http/connection-bound.ts';
import { firstSteps } from '../process/first-steps.ts';
import { boundHeapGrowth } from '../process/heap-growth.ts';
import { stderrLog } from '../process/log.ts';
import { secretsOf } from '../process/secrets.ts';
import { callLog, reloadChangedTemplates } from '../http/serve-http.ts';
import { whenStorageIsThere } from '../store/when-storage-is-there.ts';
import { ConnectionReceiver } from './connection-receiver.ts';
import type { ToWorker, WorkerData } from './messages.ts';
import { sendToPrimary, WorkerLink } from './worker-link.ts';

/**
 * Runs a worker process: waits for its start data, serves until the primary stops it, and ends when the channel to the
 * primary closes.
 */
export function runWorker(): void {
  let link: WorkerLink | undefined;
  let running: Promise<Running> | undefined;

  async function stop(): Promise<void> {
    await (await running)?.close();
    // The last spans are on the way; messages are sent in order.
    sendToPrimary({ event: 'leaving' }, () => process.exit(0));
  }

  process.on('message', (message: ToWorker, socket?: Socket) => {
    if (message.do === 'start') {
      link = new WorkerLink(message.data);
      running = start(message.data, link);
    } else if (message.do === 'serve') {
      sendToPrimary({ event: 'taken', id: message.id });
      // Absent when the caller closed the connection before it arrived.
      if (socket) void running?.then(({ receiver }) => receiver.take(socket, message.local));
    } else if (message.do === 'measure')
      void running?.then(({ broker }) => sendToPrimary({ event: 'measured', families: broker.meter.families() }));
    else if (message.do === 'budgets') void running?.then(({ broker }) => useBudgets(broker, message));
    else if (message.do === 'state') void running?.then(({ broker }) => sendState(broker));
    else if (message.do === 'drain') void running?.then(({ broker }) => broker.drain());
    else if (message.do === 'stop') void stop();
    else link?.handle(message);
  });
  process.once('disconnect', () => process.exit(0));
  process.once('SIGTERM', () => sendToPrimary({ event: 'leaving' }, () => void stop()));
  // Ctrl-C reaches every process of the terminal; the primary decides when to end.
  process.on('SIGINT', () => undefined);
}

function useBudgets(broker: Broker, { id, budgets }: Extract<ToWorker, { do: 'budgets' }>): void {
  broker.useBudgets(budgets);
  sendToPrimary({ event: 'using', id });
}

async function sendState(broker: Broker): Promise<void> {
  const { brokerFamilies } = await import('../metrics/broker-families.ts');
  sendToPrimary({ event: 'state', families: await brokerFamilies(broker).catch(() => []) });
}

interface Running {
  readonly broker: Broker;
  readonly receiver: ConnectionReceiver;
  close(): Promise<void>;
}

/** Starts serving. A worker that cannot start reports the error and ends. */
async function start(data: WorkerData, link: WorkerLink): Promise<Running> {
  try {
    return await serve(data, link);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    sendToPrimary({ event: 'failed', message, ...(isBrokerError(error) ? { code: error.code } : {}) }, () =>
      process.exit(1),
    );
    return new Promise(() => undefined);
  }
}

async function serve(
  { worker, configuration, plugins_from, url, bound, log_calls, budgets }: WorkerData,
  link: WorkerLink,
): Promise<Running> {
  const [plugins, { createApp }] = await Promise.all([
    loadPlugins(configuration.plugins, { cwd: plugins_from }),
    import('../rest/app.ts'),
  ]);
  const log = stderrLog(configuration.server.log_level, {
    secrets: secretsOf({ configuration, plugins }),
    about: { worker },
  });
  process.once('uncaughtException', (err) => {
    log.fatal({ err }, 'A worker failed and stops.');
    process.exit(1);
  });
  const types = plugins.flatMap((plugin) => plugin.providers ?? []);
  const apis = plugins.flatMap((plugin) => plugin.providerApis ?? []);
  const loaded = { configuration, plugins, review: new TemplateReview(types, apis), origins: new Map(), findings: [] };
  const broker = await whenStorageIsThere(() => compose({ loaded, log, primary: link }), log);
  const app = createApp({ broker, bound, limits: link, ...(log_calls ? { answered: callLog(log) } : {}) });
  if (budgets) broker.useBudgets(budgets);
  await app.ready();
  const { max_connections, workers } = configuration.server;
  const receiver = new ConnectionReceiver(app, connectionBound(Math.ceil(max_connections / workers)), log);
  broker.startJobs();
  boundHeapGrowth();
  const watching = reloadChangedTemplates(broker);
  sendToPrimary({
    event: 'ready',
    greeting: firstSteps(broker, url),
    warnings: broker.services.templateLibrary.cacheStats.errors,
  });
  return {
    broker,
    receiver,
    async close() {
      watching[Symbol.dispose]();
      await receiver.close(log);
      await broker.close();
    },
  };
}
