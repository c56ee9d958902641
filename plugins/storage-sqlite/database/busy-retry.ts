import { setTimeout as after } from 'node:timers/promises';
import { isBusy } from './failures.ts';

/**
 * How long to stay away from a lock that another connection holds, in milliseconds: short, because most transactions are over by then
 * and a try costs microseconds. Jittered, so that two waiters do not keep meeting. Real time, whatever the broker's clock says.
 */
export const pause = (tries: number): number => (tries < 200 ? 1 : 5) * (0.5 + Math.random());

/** Repeats `act` without blocking the thread while another connection holds the lock; after `wait` milliseconds the last failure is thrown. */
export async function whenFree<T>(act: () => T, wait: number): Promise<T> {
  const end = performance.now() + wait;
  for (let tries = 0; ; tries += 1) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
    await after(pause(tries));
  }
}
