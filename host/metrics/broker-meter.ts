import type { Family } from './family.ts';
import { HttpDurations } from './http-durations.ts';
import { processFamilies } from './process-families.ts';
import { ThreadMeter } from './thread-meter.ts';

/** What is counted in a process that serves HTTP. */
export class BrokerMeter {
  readonly http = new HttpDurations();
  readonly thread: ThreadMeter;
  readonly #worker: number;

  /** `worker`: which of the processes of a server. 0: the only one. */
  constructor(worker = 0) {
    this.#worker = worker;
    this.thread = new ThreadMeter('http', worker);
  }

  families(): readonly Family[] {
    return [this.http.family(), ...this.thread.families(), ...processFamilies(this.#worker)];
  }
}
