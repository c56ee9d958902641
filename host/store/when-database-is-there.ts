import { setTimeout as sleep } from 'node:timers/promises';
import { isBrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';

const retryMs = 1_000;
const sayMs = 30_000;

/**
 * Repeats a start during which the database went away (`absent` in the details of the refusal), and says so. Every
 * other refusal is final. `reachStorage` waits before it.
 */
export async function whenDatabaseIsThere<T>(
  start: () => Promise<T>,
  log: Pick<Log, 'warn' | 'info'>,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<T> {
  const began = performance.now();
  let saidAt = -Infinity;
  for (;;) {
    try {
      const started = await start();
      const seconds = Math.round((performance.now() - began) / 1_000);
      if (saidAt > -Infinity) log.info({ seconds }, 'The database is there, and the start continues.');
      return started;
    } catch (error) {
      if (!isBrokerError(error) || error.details['absent'] !== true) throw error;
      if (performance.now() - saidAt > sayMs) {
        saidAt = performance.now();
        log.warn({ err: error.cause }, `The start waits for the database. ${error.message}`);
      }
    }
    await wait(retryMs);
  }
}
