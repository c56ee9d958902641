import type { Log } from '../../../../../core/contract/log.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Ends this process at a signal, and when its supervisor closes the channel, while its server starts: nothing is open
 * that must be finished. A container's first process would ignore a signal that it does not handle. Dispose the result
 * when the server runs.
 */
export function endWhileStarting(log: Pick<Log, 'info'>): Disposable {
  const end = (signal?: NodeJS.Signals): void => {
    log.info({ pid: process.pid, signal }, 'muster ends before it has started.');
    process.exit(0);
  };
  const disconnected = (): void => end();
  for (const signal of signals) process.once(signal, end);
  // A supervisor that is gone already.
  if (process.send && !process.connected) end();
  process.once('disconnect', disconnected);
  return {
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, end);
      process.off('disconnect', disconnected);
    },
  };
}
