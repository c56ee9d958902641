/** What is against an instance. */
export interface Trouble {
  /** Monotonic milliseconds; -Infinity: it counts at once. */
  readonly since: number;
  readonly message: string;
}

/** It has not answered, or may not act: over with any answer. */
export const unanswered = new Set(['silence', 'credentials']);

/**
 * What is against one instance, by what it is about: `silence`, `credentials`, or the verb in which its plugin broke its contract. An answer ends the
 * first two; a verb has to be answered well itself.
 */
export class Troubles {
  readonly #all = new Map<string, Trouble>();

  get none(): boolean {
    return this.#all.size === 0;
  }

  /** Whether its plugin broke its contract. */
  get broken(): boolean {
    return [...this.#all.keys()].some((about) => !unanswered.has(about));
  }

  add(about: string, { since, message }: Trouble): void {
    this.#all.set(about, { since: Math.min(since, this.#all.get(about)?.since ?? Infinity), message });
  }

  /** Whether there was such. */
  end(about: string): boolean {
    return this.#all.delete(about);
  }

  answered(): void {
    for (const about of unanswered) this.#all.delete(about);
  }

  clear(): void {
    this.#all.clear();
  }

  /** What has lasted at least so long; what its plugin did wrong before what the provider did. */
  lasting(ms: number, now: number): Trouble | undefined {
    const lasting = [...this.#all].filter(([, { since }]) => now - since >= ms);
    const broken = lasting.find(([about]) => !unanswered.has(about));
    return (broken ?? lasting[0])?.[1];
  }
}
