import { isBrokerError, type ServiceAccess } from '../../../core/index.ts';
import { setsByNode, type SlurmSettings } from '../settings.ts';
import { placeOrder } from './place-orders.ts';
import { readCluster, type OrderState } from './records.ts';
import { switchOn, type ResumedJob } from './switch-on.ts';

const mostTries = 8;

/**
 * Switches nodes on and orders their machines. Durable before it answers; nothing waits for the cloud. Another call
 * for the same nodes at the same time is decided again from what that one stored.
 */
export async function order(
  access: ServiceAccess<SlurmSettings>,
  names: readonly string[],
  jobs: readonly ResumedJob[],
): Promise<readonly OrderState[]> {
  const { settings, records, clock } = access;
  const { cluster, node_sets } = settings;
  const stored: OrderState[] = [];
  for (let tries = 1; ; tries += 1) {
    const planned = switchOn(await readCluster(records, cluster), {
      cluster,
      names,
      jobs,
      setOf: setsByNode(settings),
      templateOf: (set) => node_sets[set]?.template ?? '',
      now: clock.now(),
    });
    try {
      for (const { order: each, commits } of planned) {
        for (const commit of commits) await records.commit(commit);
        // Kept when a later group has to be decided again: its nodes wait, so they are not planned once more.
        stored.push(each);
      }
    } catch (error) {
      if (!isBrokerError(error) || error.code !== 'CONFLICT' || tries === mostTries) throw error;
      continue;
    }
    for (const value of stored) await placeOrder(access, { value, version: 1 });
    return stored;
  }
}
