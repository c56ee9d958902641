import { readFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import type { Owner } from '../../core/contract/storage.ts';

/** This process as a holder of claims. A loop thread that replaces another one gets the next `thread`. */
export function thisOwner(): Owner {
  return { host: hostname(), boot: bootId(), pid: process.pid, started: Math.round(performance.timeOrigin), thread: 1 };
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Elsewhere the time of the boot stands for it, coarse enough to stay the same while the clock is trimmed.
    return `boot-${Math.round((Date.now() / 1000 - uptime()) / 600)}`;
  }
}
