import { setTimeout as after } from 'node:timers/promises';

/** Waits until it is so: a second at most, not counting what the thread was busy with other checks. */
export async function soon(holds: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 200 && !holds(); turn += 1) await after(5);
  return holds();
}
