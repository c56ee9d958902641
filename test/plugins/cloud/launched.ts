import type { Watched } from '../../../core/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { prepared, type Stage } from './support.ts';

/** Launches so many requests of so many machines each, by RunInstances. */
export async function launched(there: Stage, requests: number, machines: number): Promise<Watched[]> {
  const watched: Watched[] = [];
  for (let i = 0; i < requests; i += 1) {
    const order = await prepared(runInstances, there, { machine_count: machines });
    const launch = await runInstances.launch(there.session, order, there.call);
    watched.push({
      handle: launch.handle,
      order,
      known: (launch.machines ?? []).map(({ machine_id, status, data }) => ({
        machine_id,
        status,
        ...(data ? { data } : {}),
      })),
    });
  }
  return watched;
}
