import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import type { Configuration } from '../../config/configuration.ts';
import type { LoopParts } from '../../core/reconciler/running-loop.ts';
import { urlOf } from '../http/url-of.ts';
import { thisPackage } from './this-package.ts';

/** Returns this process as a broker. A loop thread that replaces another one increments `thread`. */
export function thisBroker({ server }: Configuration): LoopParts['broker'] {
  const pid_namespace = readOr(() => readlinkSync('/proc/self/ns/pid'));
  return {
    broker_id: randomUUID(),
    host: hostname(),
    // On other systems the boot time stands in for the boot id, rounded to 10 minutes so that clock corrections do not
    // change it.
    boot:
      readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ??
      `boot-${Math.round((Date.now() / 1000 - uptime()) / 600)}`,
    ...(pid_namespace === undefined ? {} : { pid_namespace }),
    pid: process.pid,
    started: Math.round(performance.timeOrigin),
    thread: 1,
    version: thisPackage.version,
    // The system chooses the port when the server listens.
    ...(server.port === 0 ? {} : { address: urlOf(server) }),
  };
}

/** The text of a file that only Linux has. */
function readOr(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
