import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '../../../process/terminal.ts';

export interface Watching<T> {
  /** The answers as they come. Rejects with the reason of the signal when it aborts. */
  readonly answers: AsyncIterable<T>;
  /** The printed text of an answer. */
  text(answer: T): string | Promise<string>;
  /** Whether the answer is final. */
  hasEnded(answer: T): boolean;
  readonly signal: AbortSignal;
}

const clear = '\u001b[H\u001b[2J\u001b[3J';

/**
 * Prints an answer whenever it changes, until it is final or the signal aborts. Returns the last answer. On a terminal
 * each answer replaces the previous one.
 */
export async function watch<T>(
  { answers, text, hasEnded, signal }: Watching<T>,
  { out, outIsScreen }: Pick<Terminal, 'out' | 'outIsScreen'>,
): Promise<T | undefined> {
  let last: T | undefined;
  let printed: string | undefined;
  try {
    for await (const answer of answers) {
      last = answer;
      const now = await text(answer);
      if (now !== printed) out(outIsScreen ? `${clear}${now}` : now);
      printed = now;
      if (hasEnded(answer)) return answer;
    }
    return last;
  } catch (error) {
    if (signal.aborted) return last;
    throw error;
  }
}

/** The answers of repeated calls. */
export async function* polled<T>(look: () => Promise<T>, seconds: number, signal: AbortSignal): AsyncGenerator<T> {
  for (;;) {
    yield await look();
    await sleep(seconds * 1000, undefined, { signal });
  }
}
