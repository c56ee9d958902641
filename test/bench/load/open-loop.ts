import { join } from 'node:path';
import { Child } from '../processes/child.ts';
import type { OpenLoopJob, OpenLoopResult } from './open-loop-process.ts';

export type { OpenLoopResult };

/** Calls at fixed times, whether or not the answers come, from a process of its own. */
export class OpenLoop {
  readonly #child = Child.of(join(import.meta.dirname, 'open-loop-process.ts'));

  run(job: OpenLoopJob): Promise<OpenLoopResult> {
    return this.#child.ask<OpenLoopResult>(job);
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}
