import type { Owner } from '../storage.ts';

/**
 * Whether `owner` is known to be dead, as seen by the owner `by`: it has an earlier boot of the same host, its process
 * ended, or its process replaced its loop thread. Owners on other hosts are never known to be dead; their claims end
 * with the lease.
 */
export function isDead(owner: Owner, by: Owner, isAlive: (pid: number) => boolean = pidIsAlive): boolean {
  if (owner.host !== by.host) return false;
  if (owner.boot !== by.boot) return true;
  if (owner.pid !== by.pid) return !isAlive(owner.pid);
  return owner.started !== by.started || owner.thread < by.thread;
}

function pidIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process lives under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
