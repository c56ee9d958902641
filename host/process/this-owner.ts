import { readFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import type { Owner } from '../../core/contract/storage.ts';

/** Returns this process as an owner of leases. A loop thread that replaces another one increments `thread`. */
export function thisOwner(): Owner {
  return {
    host: hostname(),
    boot: bootId(),
    pid: process.pid,
    started: Math.round(performance.timeOrigin),
    thread: 1,
  };
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // On other systems the boot time stands in for the boot id, rounded to 10 minutes so that clock corrections do not
    // change it.
    return `boot-${Math.round((Date.now() / 1000 - uptime()) / 600)}`;
  }
}
