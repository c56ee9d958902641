import { availableParallelism, loadavg } from 'node:os';

const usual = 20;
const slowest = 4;

/**
 * How many times as fast as the computer's the time of a play passes. The times that AWS needs pass in seconds, and a
 * lease in one and a half: on a computer that has much else to do nobody could keep one. /
 */
export function pace(): number {
  const load = (loadavg()[0] ?? 0) / availableParallelism();
  return Math.max(slowest, Math.min(usual, (usual * 2) / load));
}
