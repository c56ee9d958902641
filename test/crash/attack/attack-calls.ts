import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { KillPoint } from '../campaign/kill-point.ts';

/** Ends the process in its n-th call: before it is sent, or when its answer is there and nobody has read it. */
export function attackCalls({ nth, effect }: Extract<KillPoint, { at: 'call' }>, end: () => void): void {
  const { request } = http;
  let calls = 0;
  http.request = ((...options: Parameters<typeof request>) => {
    calls += 1;
    if (calls !== nth) return request(...options);
    if (effect === 'skip') end();
    const sent = request(...options);
    if (effect === 'execute') sent.prependListener('response', end);
    return sent;
  }) as typeof request;
  syncBuiltinESMExports();
}
