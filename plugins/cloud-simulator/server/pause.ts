import type { ServerResponse } from 'node:http';

// Node fires longer timers at once.
const longestMs = 2 ** 31 - 1;

/**
 * Waits before the next part of an answer, in the computer's time. Returns false as soon as the connection is closed.
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
  // The response has no socket while an earlier call of the same connection is unanswered, so the socket of the
  // request is checked.
  return res.destroyed || res.closed || res.req.socket.destroyed;
}
