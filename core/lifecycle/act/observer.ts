import DataLoader from 'dataloader';
import type { Clock } from '../../clock.ts';
import { isFault, ProviderFault } from '../../fault.ts';
import type { Observation, ProviderApi, Watched } from '../../provider.ts';
import type { Connected } from '../../providers/session-pool.ts';
import { pluginOf } from '../../plugin-of.ts';
import { observation, observations } from '../../providers/contract/answers.ts';
import { soundFault } from '../../providers/contract/sound-fault.ts';
import { guard, pluginFault, type Guarded } from '../../providers/guard.ts';
import { unmetered, type ProviderMeter } from '../../providers/provider-meter.ts';

/** Looks that come within this time go to the provider together. */
const gatherMs = 15;
/** Attempts in one call. */
const mostAtOnce = 1_000;
const timeoutMs = 60_000;

/** Asks providers how attempts stand, everything that is due of one instance and API in one call. */
export class Observer {
  readonly #loaders = new Map<string, DataLoader<Watched, Observation>>();
  readonly #guarded: Pick<Guarded, 'signal' | 'log'>;
  readonly #meter: ProviderMeter;
  readonly #clock: Clock;

  constructor(guarded: Pick<Guarded, 'signal' | 'log'>, clock: Clock, meter: ProviderMeter = unmetered) {
    this.#guarded = guarded;
    this.#clock = clock;
    this.#meter = meter;
  }

  /** Rejects with a ProviderFault when this attempt could not be observed; others of the same call are not touched by it. */
  look(connected: Connected, api: ProviderApi, watched: Watched): Promise<Observation> {
    const key = `${connected.instance.name}|${api.name}`;
    let loader = this.#loaders.get(key);
    if (!loader) this.#loaders.set(key, (loader = this.#loader(connected, api)));
    return loader.load(watched);
  }

  #loader(connected: Connected, api: ProviderApi): DataLoader<Watched, Observation> {
    const what = `observation of '${connected.instance.name}' (${api.name})`;
    const ended = this.#meter.verb(connected.instance.name, 'observe');
    const plugin = pluginOf(api);
    return new DataLoader<Watched, Observation>(
      async (watched) => {
        const guarded = { ...this.#guarded, what, plugin, mutating: false, timeout_ms: timeoutMs, fence: () => undefined, ended };
        const wrong = new Map<number, ProviderFault>();
        const seen = await guard(
          guarded,
          async (call) => api.observe(connected.session, watched, call),
          (answer) => {
            observations(answer, watched.length);
            for (const [index, entry] of answer.entries()) {
              const fault = faultIn(() => observation(entry, `/${index}`), { what, plugin, log: this.#guarded.log });
              if (fault) wrong.set(index, fault);
            }
            // Each is about its own request; that there are any is told of the call.
            const [first] = wrong.values();
            if (first && wrong.size === watched.length) throw first;
          },
        );
        const [first] = wrong.values();
        if (first) ended(0, first.kind, first);
        return seen.map((entry, index) => wrong.get(index) ?? (isFault(entry) ? soundFault(entry) : (entry as Observation)));
      },
      { cache: false, maxBatchSize: mostAtOnce, batchScheduleFn: (dispatch) => void this.#clock.sleep(gatherMs).then(dispatch) },
    );
  }
}

/** What is wrong with one entry says nothing of the others. */
function faultIn(check: () => void, about: Parameters<typeof pluginFault>[1]): ProviderFault | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return pluginFault(error, about, 'unavailable');
  }
}
