import { setTimeout as after } from 'node:timers/promises';
import { isBusy } from './failures.ts';

/**
 * The pause between two tries while another connection holds the lock, in milliseconds: short, because most
 * transactions are over by then and a try costs microseconds. Jittered, so that two waiters do not keep meeting. Real
 * time, not that of the broker's clock. /
 */
export const busyPauseMs = (tries: number): number => (tries < 200 ? 1 : 5) * (0.5 + Math.random());

/**
 * Repeats `act` without blocking the thread while another connection holds the lock; after `wait` milliseconds the
 * last failure is thrown.
 */
export async function retryWhileBusy<T>(act: () => T, wait: number): Promise<T> {
  const end = performance.now() + wait;
  for (let tries = 0; ; tries += 1) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
    await after(busyPauseMs(tries));
  }
}
