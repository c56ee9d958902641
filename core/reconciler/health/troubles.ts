/** A reason against an instance. */
export interface Trouble {
  /** Monotonic milliseconds. -Infinity: the trouble counts immediately. */
  readonly since: number;
  readonly message: string;
}

/** The instance did not answer, or its credentials were refused. Any answer ends these troubles. */
export const unanswered = new Set(['silence', 'credentials']);

/**
 * The troubles of one instance by topic: `silence`, `credentials`, or the verb with which its plugin broke its
 * contract. Any answer ends the first two; only a success of the verb ends the last.
 */
export class Troubles {
  readonly #all = new Map<string, Trouble>();

  get none(): boolean {
    return this.#all.size === 0;
  }

  /** Whether the plugin broke its contract. */
  get broken(): boolean {
    return [...this.#all.keys()].some((about) => !unanswered.has(about));
  }

  add(about: string, { since, message }: Trouble): void {
    this.#all.set(about, { since: Math.min(since, this.#all.get(about)?.since ?? Infinity), message });
  }

  /** Removes a trouble. Returns whether it existed. */
  end(about: string): boolean {
    return this.#all.delete(about);
  }

  answered(): void {
    for (const about of unanswered) this.#all.delete(about);
  }

  clear(): void {
    this.#all.clear();
  }

  /** A trouble that has lasted at least `ms`; breaches of the plugin come before faults of the provider. */
  lasting(ms: number, now: number): Trouble | undefined {
    const lasting = [...this.#all].filter(([, { since }]) => now - since >= ms);
    const broken = lasting.find(([about]) => !unanswered.has(about));
    return (broken ?? lasting[0])?.[1];
  }
}
