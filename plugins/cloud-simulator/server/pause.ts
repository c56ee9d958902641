import type { ServerResponse } from 'node:http';

// Longer timers would go off at once.
const longestMs = 2 ** 31 - 1;

/**
 * Waits before the next part of an answer, in the computer's own time. False when the caller, or the simulator, has
 * closed the connection by then: the wait ends with it.
 */
export async function pause(res: ServerResponse, ms: number): Promise<boolean> {
  if (isGone(res)) return false;
  if (ms <= 0) return true;
  return new Promise((resolve) => {
    const gone = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(
      () => {
        res.off('close', gone);
        resolve(!isGone(res));
      },
      Math.min(ms, longestMs),
    );
    res.once('close', gone);
  });
}

function isGone(res: ServerResponse): boolean {
  // The answer itself has no socket yet while an earlier call of its connection waits for its own.
  return res.destroyed || res.closed || res.req.socket.destroyed;
}
