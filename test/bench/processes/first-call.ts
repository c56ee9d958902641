/**
 * A process: one provider instance of the cloud, connected in a thread like that of the broker's loop, on everything
 * that the loop has loaded before. Tells what its first question to the cloud takes, part by part, and a later one.
 */
import { enableCompileCache } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Call, PluginContext } from '../../../core/index.ts';
import { limitsOfLoop } from '../../../host/process/thread-limits.ts';

/** Milliseconds of the thread. */
export interface Took {
  readonly wall: number;
  readonly cpu: number;
}

export interface FirstCall {
  /** Making the session. */
  readonly connect: Took;
  /** Loading the SDK and making its clients. */
  readonly load: Took;
  /** Finding out whose account it is, and the first question. */
  readonly ask: Took;
  /** A question as any later one. */
  readonly later: Took;
}

const laterCalls = 5;

// Never the usual one: that lies where others may put something.
enableCompileCache(new URL('../../../node_modules/.cache/compile', import.meta.url).pathname);
if (isMainThread) {
  process.on('message', ({ url }: { readonly url: string }) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { url },
      resourceLimits: limitsOfLoop(),
    });
    worker.on('message', (answer: FirstCall) => process.send?.(answer));
  });
  process.on('disconnect', () => process.exit());
} else {
  const { systemClock } = await import('../../../core/contract/clock.ts');
  const { silentLog: log } = await import('../../../core/contract/log.ts');
  const { cloud } = await import('../../../plugins/cloud/cloud.ts');
  const { makeClients } = await import('../../../plugins/cloud/connection/clients.ts');
  const { sharedSkew } = await import('../../../plugins/cloud/connection/shared-skew.ts');
  const { url } = workerData as { readonly url: string };
  const config = { endpoint_url: 'simulator:' };
  const context: PluginContext = {
    instance: 'bench',
    endpoint: async () => url,
    clock: systemClock,
    log,
    installation: 'bench',
  };
  const call: Call = { signal: new AbortController().signal, fence: () => undefined, log };

  const began = stopwatch();
  const session = await cloud.connect(config, context);
  const connect = began();
  const loading = stopwatch();
  (
    await makeClients(session.settings, {
      endpoints: { ec2: url, sts: url },
      log,
      skew: sharedSkew(),
      credentialWatch: { follow: (credentials) => credentials },
      onDate: () => undefined,
    })
  ).destroy();
  const load = loading();
  const asking = stopwatch();
  await cloud.identity?.(session, call);
  await cloud.check?.(session, call);
  const ask = asking();
  const again = stopwatch();
  for (let each = 0; each < laterCalls; each++) await cloud.check?.(session, call);
  const { wall, cpu } = again();
  const later = { wall: wall / laterCalls, cpu: cpu / laterCalls };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage({ connect, load, ask, later } satisfies FirstCall);
}

function stopwatch(): () => Took {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const [wall, cpu] = [performance.now(), used()];
  return () => ({ wall: performance.now() - wall, cpu: used() - cpu });
}
