import { setTimeout as after } from 'node:timers/promises';

/**
 * Waits until the condition holds, for about a second, not counting the time in which other checks keep the thread
 * busy.
 */
export async function eventually(holds: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 200 && !holds(); turn += 1) await after(5);
  return holds();
}
