import { setTimeout as after } from 'node:timers/promises';
import { isBusy } from './failures.ts';

/**
 * The pause in milliseconds between two tries while another connection holds the lock. It is short, because most
 * transactions have ended by then and a try takes microseconds. It is random, so that two waiting connections do not
 * collide repeatedly. It uses real time, not the clock of the broker.
 */
export const busyPauseMs = (tries: number): number => (tries < 200 ? 1 : 5) * (0.5 + Math.random());

/**
 * Repeats `act` while another connection holds the lock, without blocking the thread. After `maxWaitMs` milliseconds
 * it throws the last failure.
 */
export async function retryWhileBusy<T>(act: () => T, maxWaitMs: number): Promise<T> {
  const end = performance.now() + maxWaitMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
    await after(busyPauseMs(tries));
  }
}
