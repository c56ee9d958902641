import type { Family } from './family.ts';
import { HttpDurations } from './http-durations.ts';
import { Pressure } from './pressure.ts';
import { processFamilies } from './process-families.ts';
import { ThreadMeter } from './thread-meter.ts';

/** What is counted in a process that serves HTTP. */
export class BrokerMeter {
  readonly http = new HttpDurations();
  readonly thread: ThreadMeter;
  readonly pressure: Pressure;
  readonly #worker: number;

  /** `max_wait_ms`: what a call may wait. `worker`: which of the processes of a server. 0: the only one. */
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
      ...processFamilies(this.#worker),
    ];
  }
}
