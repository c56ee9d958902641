import type { Store } from '../../core/contract/storage.ts';
import { Durations } from './durations.ts';
import { gauge, type Family } from './family.ts';

type DelayHistogram = ReturnType<typeof import('node:perf_hooks')['monitorEventLoopDelay']>;

const resolution = 25;
const quantiles = [0.5, 0.99, 1];

/** The metrics of every worker thread: event loop delay, memory, and duration of commits. */
export class ThreadMeter {
  readonly #thread: string;
  /** The number of the process; 0 is the first. */
  readonly #worker: number;
  /** Created by the first scrape: a server that is never scraped need not wake up for it. */
  #delay: DelayHistogram | undefined;
  readonly #commits = new Durations({
    name: 'muster_store_commit_duration_seconds',
    help: 'Duration of commits to the storage until they are durable or refused, by thread.',
    labels: ['thread', 'outcome'],
    bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  });

  constructor(thread: 'http' | 'loop' | 'primary', worker: number) {
    this.#thread = thread;
    this.#worker = worker;
  }

  /** Measures the commits of a store after this call. Returns the same store. */
  time(store: Store): Store {
    const commit = store.commit.bind(store);
    const [ok, failed] = [this.#commits.of(this.#thread, 'ok'), this.#commits.of(this.#thread, 'failed')];
    store.commit = async (changes) => {
      const began = performance.now();
      try {
        await commit(changes);
        ok.add(performance.now() - began);
      } catch (error) {
        failed.add(performance.now() - began);
        throw error;
      }
    };
    return store;
  }

  families(): readonly Family[] {
    const labels = { thread: this.#thread, worker: this.#worker };
    const { heapUsed, heapTotal, external } = process.memoryUsage();
    this.#delay ??= watchDelay();
    const delays = quantiles.map((quantile) => [{ ...labels, quantile }, this.#delayAt(quantile)] as const);
    this.#delay.reset();
    return [
      this.#commits.family(),
      gauge('muster_event_loop_delay_seconds', 'Delay of events in a thread since the last scrape.', delays),
      gauge('nodejs_heap_size_used_bytes', 'Heap in use.', [[labels, heapUsed]]),
      gauge('nodejs_heap_size_total_bytes', 'Reserved heap.', [[labels, heapTotal]]),
      gauge('nodejs_external_memory_bytes', 'Memory of objects outside of the heap.', [[labels, external]]),
    ];
  }

  /**
   * The delay in seconds: the histogram contains the time between ticks, from which the interval of the ticks is
   * subtracted.
   */
  #delayAt(quantile: number): number {
    if (!this.#delay?.count) return 0;
    return Math.max(0, this.#delay.percentile(quantile * 100) / 1e9 - resolution / 1000);
  }
}

function watchDelay(): DelayHistogram {
  // A static import would evaluate all exports of the module.
  const delay = process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution });
  delay.enable();
  return delay;
}
