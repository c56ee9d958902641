import { openSimulator } from '../../../plugins/cloud-simulator/open.ts';
import { json } from './http.ts';

/** The simulated cloud that the broker of a directory finds, in a process of its own. It ends with its directory. */
export interface Cloud {
  readonly url: string;
  running(): Promise<number>;
  /** Calls so far, by the kind of action. */
  calls(): Promise<{ readonly describes: number; readonly launches: number; readonly all: number }>;
}

export async function openCloud(directory: string, boot_ms: number): Promise<Cloud> {
  const { url } = await openSimulator(directory);
  await json(`${url}/_sim/knobs`, 'POST', { boot_ms, shutdown_ms: 100 });
  return {
    url,
    async running() {
      const { live } = await json(`${url}/_sim/ledger`);
      return Object.values<string[]>(live).reduce((sum, ids) => sum + ids.length, 0);
    },
    async calls() {
      const { entries } = await json(`${url}/_sim/audit`);
      const count = (pattern: RegExp) => entries.filter((entry: { action: string }) => pattern.test(entry.action)).length;
      return { describes: count(/^Describe/), launches: count(/^(RunInstances|CreateFleet)$/), all: entries.length };
    },
  };
}
