import { createOnce, readOnce } from './create-once.ts';
import { fileOf, stateOf, type Order } from './places.ts';

const againMs = 100;

/** The record of a SIGTERM that was sent to the group of `pid` at this time (epoch milliseconds). */
interface StopSignal {
  readonly at: number;
  readonly pid: number;
}

/**
 * Ends a process: sends SIGTERM, and SIGKILL if the process still runs after `grace` ms. Call it again until the
 * process is gone: it reads from the records what earlier calls did, also those of another broker. Returns the
 * milliseconds until the next call; undefined: the process is gone.
 */
export function stop(order: Order, n: number, grace: number, now: number): number | undefined {
  // Before the state is read: a runner that takes the slot later starts nothing.
  createOnce(fileOf(order, n, 'released'), { at: now });
  const state = stateOf(order, n);
  const sent = readOnce<StopSignal>(fileOf(order, n, 'signaled'));
  if (state.is !== 'ending') {
    // The rest of its process group ends too. Only now: later the id of the group may belong to other processes.
    if (sent && createOnce(fileOf(order, n, 'over'), { at: now })) signal(sent.pid, 'SIGKILL');
    return undefined;
  }
  if (sent && now - sent.at >= grace) signal(state.pid, 'SIGKILL');
  else if (!sent) {
    signal(state.pid, 'SIGTERM');
    createOnce(fileOf(order, n, 'signaled'), { at: now, pid: state.pid } satisfies StopSignal);
  }
  return againMs;
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch (error) {
    // No process is left in the group, or (on some systems) only zombies. The next call reads whether it is gone.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
