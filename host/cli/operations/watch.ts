import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '../../process/terminal.ts';

export interface Watching<T> {
  look(): Promise<T>;
  /** The printed text of an answer. */
  text(answer: T): string;
  /** Whether the answer is final. */
  hasEnded(answer: T): boolean;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

const clear = '\u001b[H\u001b[2J\u001b[3J';

/**
 * Prints an answer whenever it changes, until it is final or the signal aborts. Returns the last answer. On a terminal
 * each answer replaces the previous one.
 */
export async function watch<T>(
  { look, text, hasEnded, seconds, signal }: Watching<T>,
  { out, outIsScreen }: Terminal,
): Promise<T | undefined> {
  let last: T | undefined;
  let printed: string | undefined;
  try {
    for (;;) {
      last = await look();
      const now = text(last);
      if (now !== printed) out(outIsScreen ? `${clear}${now}` : now);
      printed = now;
      if (hasEnded(last)) return last;
      await sleep(seconds * 1000, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) return last;
    throw error;
  }
}
