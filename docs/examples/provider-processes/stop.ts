import { createOnce, readOnce } from './create-once.ts';
import { fileOf, standing, type Order } from './places.ts';

const lookAgainMs = 100;

/** When a process was asked to go. */
interface Told {
  readonly at: number;
  readonly pid: number;
}

/**
 * Ends a process: asks it to go, and kills it when it has not gone after `grace` ms. Called again until it is gone;
 * what was done before is read from the records, whoever did it. Gives the time after which to call again; undefined:
 * it is gone. /
 */
export function stop(order: Order, n: number, grace: number, now: number): number | undefined {
  // Before it is looked for: a runner that takes the slot later than this starts nothing.
  createOnce(fileOf(order, n, 'released'), { at: now });
  const seen = standing(order, n);
  const told = readOnce<Told>(fileOf(order, n, 'told'));
  if (seen.is !== 'ending') {
    // What it left behind in its group goes too. Only now: later the number of the group may be somebody else's.
    if (told && createOnce(fileOf(order, n, 'over'), { at: now })) signal(told.pid, 'SIGKILL');
    return undefined;
  }
  if (told && now - told.at >= grace) signal(seen.pid, 'SIGKILL');
  else if (!told) {
    signal(seen.pid, 'SIGTERM');
    createOnce(fileOf(order, n, 'told'), { at: now, pid: seen.pid } satisfies Told);
  }
  return lookAgainMs;
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch (error) {
    // Nobody is there any more, or (some systems say so of what waits to be reaped) nobody whom we may signal: whether
    // it is gone is seen later.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
