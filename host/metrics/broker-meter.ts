import type { Family } from './family.ts';
import { HttpDurations } from './http-durations.ts';
import { Pressure } from '../http/pressure.ts';
import { processFamilies } from './process-families.ts';
import { ThreadMeter } from './thread-meter.ts';

/** The metrics of a process that serves HTTP. */
export class BrokerMeter {
  readonly http = new HttpDurations();
  readonly thread: ThreadMeter;
  readonly pressure: Pressure;
  /** The open streams of the process, once it serves HTTP. */
  streams: { families(worker: number): readonly Family[] } | undefined;
  readonly #worker: number;

  /** `max_wait_ms`: how long a call may wait. `worker`: the number of the worker process; 0: the only process. */
  constructor(max_wait_ms: number, worker = 0) {
    this.pressure = new Pressure(max_wait_ms, worker);
    this.#worker = worker;
    this.thread = new ThreadMeter('http', worker);
  }

  families(): readonly Family[] {
    return [
      this.http.family(),
      ...this.pressure.families(),
      ...this.thread.families(),
      ...(this.streams?.families(this.#worker) ?? []),
      ...processFamilies(this.#worker),
    ];
  }
}
