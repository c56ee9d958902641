import { openSimulator } from '../../../plugins/cloud-simulator/server/open.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { json } from './http.ts';

/** Calls of a time, by kind. */
export interface Calls {
  /** Questions: every action that is called `Describe…` or `Get…`. */
  readonly describes: number;
  readonly launches: number;
  /** Refused because of the rate of calls. */
  readonly throttled: number;
  readonly all: number;
}

/** The simulated cloud that the broker of a directory finds, in a process of its own. It ends with its directory. */
export interface Cloud {
  readonly url: string;
  turn(knobs: KnobChange): Promise<void>;
  /** Machines that are pending or running. */
  running(): Promise<number>;
  /** The number of the last call. */
  mark(): Promise<number>;
  /** Calls after the one with that number; all of them without it. */
  calls(since?: number): Promise<Calls>;
  entries(since?: number): Promise<readonly CallEntry[]>;
}

export interface CallEntry {
  readonly action: string;
  /** ISO 8601. */
  readonly at: string;
  readonly code: string | null;
}

export async function openCloud(directory: string, knobs: KnobChange): Promise<Cloud> {
  const { url } = await openSimulator(directory);
  const turn = async (change: KnobChange): Promise<void> => void (await json(`${url}/_sim/knobs`, 'POST', change));
  await turn({ shutdown_ms: 100, ...knobs });
  const entries = async (since = 0): Promise<CallEntry[]> => (await json(`${url}/_sim/audit?since=${since}`)).entries;
  return {
    url,
    turn,
    async running() {
      const { live } = await json(`${url}/_sim/ledger`);
      return Object.values<string[]>(live).reduce((sum, ids) => sum + ids.length, 0);
    },
    async mark() {
      return (await json(`${url}/_sim/audit?since=999999999`)).next;
    },
    async calls(since) {
      const made = await entries(since);
      return {
        describes: made.filter(({ action }) => /^(Describe|Get)/.test(action)).length,
        launches: made.filter(({ action }) => /^(RunInstances|CreateFleet)$/.test(action)).length,
        throttled: made.filter(({ code }) => code !== null && /RequestLimitExceeded|Throttling/.test(code)).length,
        all: made.length,
      };
    },
    entries,
  };
}
