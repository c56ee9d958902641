import { join } from 'node:path';
import { Child } from '../processes/child.ts';
import type { StreamReadersJob, StreamReadersResult } from './stream-readers-process.ts';

/** Readers of the event stream, in a process of their own. */
export class StreamReaders {
  readonly #child = Child.of(join(import.meta.dirname, 'stream-readers-process.ts'));

  do(job: StreamReadersJob): Promise<StreamReadersResult> {
    return this.#child.ask<StreamReadersResult>(job);
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}
