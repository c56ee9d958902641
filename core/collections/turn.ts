/** Those that wait for a turn of this thread, in the order of arrival. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop. In each turn only one of those that wait continues, so the calls and
 * timers of the thread are served in between, however many requests are worked on at the same time. `setImmediate`
 * alone would let all of them continue in one turn, which blocks the thread for the sum of their work.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}
