import type { Owner } from '../storage.ts';

/**
 * Whether an owner is known to be gone, as seen by another one: of the same host and an earlier boot, of a process that ended, or of a
 * loop thread that its process replaced. Nothing is known of owners on other hosts: theirs end with their lease.
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
    // EPERM: it lives, under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
