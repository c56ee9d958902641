import type { BrokerRecord } from '../../model/broker.ts';

type Process = Pick<BrokerRecord, 'host' | 'boot' | 'pid_namespace' | 'pid' | 'started' | 'thread'>;

/**
 * Whether `broker` is known to be dead, as seen by the broker `by`: its process ended, or it replaced its loop thread.
 * Only brokers of the same boot and the same namespace of pids are known to be dead; the claims of others end with the
 * lease.
 */
export function isDead(broker: Process, by: Process, isAlive: (pid: number) => boolean = pidIsAlive): boolean {
  if (broker.host !== by.host || broker.boot !== by.boot || broker.pid_namespace !== by.pid_namespace) return false;
  if (broker.pid !== by.pid) return !isAlive(broker.pid);
  return broker.started !== by.started || broker.thread < by.thread;
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
