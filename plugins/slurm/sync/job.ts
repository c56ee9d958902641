import type { ServiceJob } from '../../../core/index.ts';
import type { SlurmSettings } from '../settings.ts';
import { Looks } from './looks.ts';
import { sync } from './sync.ts';

/** By cluster. A comparison that a person starts is a look too. */
const looks = new Map<string, Looks>();

export function looksOf(cluster: string): Looks {
  const known = looks.get(cluster) ?? new Looks();
  looks.set(cluster, known);
  return known;
}

/** Compares the nodes with the machines, again and again. */
export const syncJob: ServiceJob<SlurmSettings> = {
  name: 'sync',
  every_ms: (settings) => settings.sync_s * 1000,
  run: async (access, signal) => void (await sync(access, looksOf(access.settings.cluster), signal)),
};
