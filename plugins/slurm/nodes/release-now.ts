import type { ServiceAccess } from '../../../core/index.ts';
import type { SlurmSettings } from '../settings.ts';
import { readRequests } from './machines.ts';
import { readCluster } from './records.ts';
import { release, releasesOf } from './release-nodes.ts';

/**
 * Releases what is left of earlier generations of these nodes, and of nodes that are off. What fails here is done by
 * the next comparison, so a failure is logged and no error.
 */
export async function releaseNow(access: ServiceAccess<SlurmSettings>, names: ReadonlySet<string>): Promise<void> {
  if (names.size === 0) return;
  try {
    const known = await readCluster(access.records, access.settings.cluster);
    const orders = new Map([...known.orders].filter(([, { value }]) => value.names.some((name) => names.has(name))));
    const requests = await readRequests(access, [...orders.keys()]);
    await release(access, releasesOf({ ...known, orders }, requests));
  } catch (error) {
    access.log.warn({ err: error }, 'Machines of nodes are released by the next comparison.');
  }
}
