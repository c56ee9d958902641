import { setImmediate as turn } from 'node:timers/promises';
import DataLoader from 'dataloader';
import type { Clock } from '../../contract/clock.ts';
import type { Observation, Watched } from '../../contract/provider.ts';
import { isFault, type ProviderFault } from '../../contract/fault.ts';
import type { Listed } from '../apply/apply-absence.ts';
import type { GuardedApi } from '../../providers/guard/guarded-api.ts';
import type { Connected } from '../../providers/guard/session-pool.ts';

/** Looks that come within this time go to the provider together. */
const gatherMs = 15;
/** Attempts in one call. */
const mostAtOnce = 1_000;

/** What is said of one attempt, and what the answer as a whole listed. */
export interface Seen {
  readonly observation: Observation;
  readonly listed: Listed;
}

/** Asks providers how attempts stand, everything that is due of one instance and API in one call. */
export class Observer {
  readonly #loaders = new Map<string, DataLoader<Watched, Seen>>();
  readonly #signal: AbortSignal;
  readonly #clock: Clock;

  constructor(signal: AbortSignal, clock: Clock) {
    this.#signal = signal;
    this.#clock = clock;
  }

  /** Rejects with a ProviderFault when this attempt could not be observed; others of the same call are not touched by it. */
  look({ instance }: Connected, api: GuardedApi, watched: Watched): Promise<Seen> {
    const key = `${instance.name}|${api.name}`;
    let loader = this.#loaders.get(key);
    if (!loader) this.#loaders.set(key, (loader = this.#loader(api)));
    return loader.load(watched);
  }

  #loader(api: GuardedApi): DataLoader<Watched, Seen> {
    const ask = async (watched: readonly Watched[]): Promise<(Seen | ProviderFault)[]> => {
      const answer = await api.observe(watched, { signal: this.#signal });
      // To check what was said of ten thousand machines took its time.
      await turn();
      const listed = listedOf(watched, answer);
      return answer.map((entry) => (isFault(entry) ? entry : { observation: entry as Observation, listed }));
    };
    return new DataLoader<Watched, Seen>(ask, {
      cache: false,
      maxBatchSize: mostAtOnce,
      batchScheduleFn: (dispatch) => void this.#clock.sleep(gatherMs).then(dispatch),
    });
  }
}

function listedOf(watched: readonly Watched[], answer: readonly (Observation | ProviderFault | Error)[]): Listed {
  const zones = new Set<string>();
  let any = false;
  for (const [index, entry] of answer.entries()) {
    if (entry instanceof Error || isFault(entry)) continue;
    const known = new Map(watched[index]?.known.map((machine) => [machine.machine_id, machine]));
    for (const { machine_id, zone } of entry.machines) {
      const machine = known.get(machine_id);
      if (!machine) continue;
      any = true;
      // A report may leave out what is known.
      const where = zone ?? machine.zone;
      if (where !== undefined) zones.add(where);
    }
  }
  return { any, zones };
}
