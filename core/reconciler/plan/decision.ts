import type { Step } from './step.ts';

/** What is done for a request now, and when it is planned again. */
export interface Decision {
  /** The steps to execute now. They are independent of each other. */
  readonly steps: readonly Step[];
  /** Milliseconds until the next decision when none of the steps is executed. Undefined: no time is known. */
  readonly again_ms?: number;
  readonly message?: string;
}

/** Keeps the earliest of several times. */
export class Alarm {
  #ms: number | undefined;

  in(ms: number): void {
    this.#ms = Math.min(this.#ms ?? Infinity, Math.max(0, ms));
  }

  /** `step`: what is due now, unless calls in flight forbid it. */
  decision(message: string | undefined, step?: Step): Decision {
    return {
      steps: step ? [step] : [],
      ...(this.#ms === undefined ? {} : { again_ms: this.#ms }),
      ...(message === undefined ? {} : { message }),
    };
  }
}
