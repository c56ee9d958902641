import type { Clock } from '../../core/contract/clock.ts';
import type { SimulatorClock } from '../../plugins/cloud-simulator/clock.ts';

const tickMs = 5;
/** How much a tick is while there was no idle moment. */
const leastMs = 5;

interface Sleeper {
  readonly until: number;
  wake(): void;
}

/** One time for a broker and its cloud. */
export interface TickingClock extends Clock {
  /** The same time as the simulated cloud reads it. */
  readonly cloud: SimulatorClock;
  stop(): void;
}

/**
 * Time that passes so many times as fast as the computer's while there is nothing to compute, and hardly at all while
 * there is. So what is waited for is waited for in no time, and a slow computer makes a test longer, and never its
 * answers late. /
 */
export function tickingClock(times: number): TickingClock {
  const sleepers = new Set<Sleeper>();
  let now = Date.now();
  let idle = performance.eventLoopUtilization().idle;
  const timer = setInterval(() => {
    const before = idle;
    idle = performance.eventLoopUtilization().idle;
    now += Math.max(leastMs, Math.round((idle - before) * times));
    for (const sleeper of sleepers) if (sleeper.until <= now) sleeper.wake();
  }, tickMs);
  return {
    now: () => now,
    monotonic: () => now,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper: Sleeper = { until: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    cloud: {
      now: () => now,
      advance: (ms) => void (now += ms),
      reset: () => undefined,
    },
    stop() {
      clearInterval(timer);
      for (const sleeper of sleepers) sleeper.wake();
    },
  };
}
