import type { Store } from '../../core/contract/storage.ts';
import { Durations } from './durations.ts';
import { gauge, type Family } from './family.ts';

type DelayHistogram = ReturnType<typeof import('node:perf_hooks')['monitorEventLoopDelay']>;

const resolution = 25;
const quantiles = [0.5, 0.99, 1];

/** What is measured in every thread that works: how late its events come, what it keeps, how long its commits take. */
export class ThreadMeter {
  readonly #thread: string;
  /** Which process. 0 is the first. */
  readonly #worker: number;
  /** From the first scrape on: a server that nobody scrapes need not wake up for it. */
  #delay: DelayHistogram | undefined;
  readonly #commits = new Durations({
    name: 'muster_store_commit_duration_seconds',
    help: 'Commits to the storage until they were durable or refused, by the thread that asked.',
    labels: ['thread', 'outcome'],
    bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  });

  constructor(thread: 'http' | 'loop' | 'primary', worker: number) {
    this.#thread = thread;
    this.#worker = worker;
  }

  /** Times the commits of a store from now on. Nothing else about it changes. */
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
    const delays = quantiles.map((quantile) => [{ ...labels, quantile }, this.#late(quantile)] as const);
    this.#delay.reset();
    return [
      this.#commits.family(),
      gauge('muster_event_loop_delay_seconds', 'How late events of a thread came since the last scrape.', delays),
      gauge('nodejs_heap_size_used_bytes', 'Heap in use.', [[labels, heapUsed]]),
      gauge('nodejs_heap_size_total_bytes', 'Heap that is reserved.', [[labels, heapTotal]]),
      gauge('nodejs_external_memory_bytes', 'Memory of objects outside the heap.', [[labels, external]]),
    ];
  }

  /** What is measured is the time from tick to tick; all beyond the pace of the ticks is delay. */
  #late(quantile: number): number {
    if (!this.#delay?.count) return 0;
    return Math.max(0, this.#delay.percentile(quantile * 100) / 1e9 - resolution / 1000);
  }
}

function watchDelay(): DelayHistogram {
  // Importing it by name would make all of its exports.
  const delay = process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution });
  delay.enable();
  return delay;
}
