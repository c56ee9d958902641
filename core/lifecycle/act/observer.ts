import DataLoader from 'dataloader';
import type { Clock } from '../../clock.ts';
import type { Observation, Watched } from '../../provider.ts';
import type { GuardedApi } from '../../providers/guarded-api.ts';
import type { Connected } from '../../providers/session-pool.ts';

/** Looks that come within this time go to the provider together. */
const gatherMs = 15;
/** Attempts in one call. */
const mostAtOnce = 1_000;

/** Asks providers how attempts stand, everything that is due of one instance and API in one call. */
export class Observer {
  readonly #loaders = new Map<string, DataLoader<Watched, Observation>>();
  readonly #signal: AbortSignal;
  readonly #clock: Clock;

  constructor(signal: AbortSignal, clock: Clock) {
    this.#signal = signal;
    this.#clock = clock;
  }

  /** Rejects with a ProviderFault when this attempt could not be observed; others of the same call are not touched by it. */
  look({ instance }: Connected, api: GuardedApi, watched: Watched): Promise<Observation> {
    const key = `${instance.name}|${api.name}`;
    let loader = this.#loaders.get(key);
    if (!loader) this.#loaders.set(key, (loader = this.#loader(api)));
    return loader.load(watched);
  }

  #loader(api: GuardedApi): DataLoader<Watched, Observation> {
    return new DataLoader<Watched, Observation>((watched) => api.observe(watched, { signal: this.#signal }), {
      cache: false,
      maxBatchSize: mostAtOnce,
      batchScheduleFn: (dispatch) => void this.#clock.sleep(gatherMs).then(dispatch),
    });
  }
}
