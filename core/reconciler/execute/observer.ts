import DataLoader from 'dataloader';
import type { Clock } from '../../contract/clock.ts';
import type { Observation, Watched } from '../../contract/provider/orders-and-reports.ts';
import { isFault, type ProviderFault } from '../../contract/fault.ts';
import type { Listed } from '../apply/apply-absence.ts';
import type { GuardedApi } from '../../providers/guard/guarded-api.ts';
import type { CallTrace } from '../../providers/guard/traces/call-span.ts';
import type { TraceContext } from '../../tracing/tracer.ts';
import type { Connected } from '../../providers/guard/session-pool.ts';
import { turn } from '../../collections/turn.ts';

/** Observations within this time share one call, in milliseconds. */
const gatherMs = 15;
/**
 * How long they wait for the call before theirs, in milliseconds. A call about thousands of machines takes seconds:
 * what becomes due meanwhile shares the next one.
 */
const inTurnMs = 2_000;
/** The most attempts in one call. */
const mostAtOnce = 1_000;

/** The most links of the span of one call. */
const mostLinks = 64;

/** One attempt to observe, and its place in the trace of its caller. */
interface Asked {
  readonly watched: Watched;
  readonly link: TraceContext | undefined;
}

/** The observation of one attempt, with the facts about the complete answer. */
export interface Seen {
  readonly observation: Observation;
  readonly listed: Listed;
}

/** Observes attempts. All due attempts of one instance and API share one call. */
export class Observer {
  readonly #loaders = new Map<string, DataLoader<Asked, Seen>>();
  readonly #signal: AbortSignal;
  readonly #clock: Clock;

  constructor(signal: AbortSignal, clock: Clock) {
    this.#signal = signal;
    this.#clock = clock;
  }

  /**
   * Rejects with a ProviderFault when this attempt could not be observed; other attempts of the call are not affected.
   * `link`: the place of the attempt in the trace of its caller.
   */
  observe({ instance }: Connected, api: GuardedApi, watched: Watched, link?: TraceContext): Promise<Seen> {
    const key = `${instance.name}|${api.name}`;
    let loader = this.#loaders.get(key);
    if (!loader) this.#loaders.set(key, (loader = this.#loader(api)));
    return loader.load({ watched, link });
  }

  /** Waits for what shares the next call. */
  async #gather(last: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    await Promise.race([last, this.#clock.sleep(inTurnMs, over.signal)]);
    over.abort(null);
    await this.#clock.sleep(gatherMs);
  }

  #loader(api: GuardedApi): DataLoader<Asked, Seen> {
    let last: Promise<unknown> = Promise.resolve();
    const ask = async (asked: readonly Asked[]): Promise<(Seen | ProviderFault)[]> => {
      const watched = asked.map((each) => each.watched);
      const answering = api.observe(watched, { signal: this.#signal, trace: traceOf(asked) });
      last = answering.catch(() => undefined);
      const answer = await answering;
      // Checking the reports of ten thousand machines takes long, so other work comes first.
      await turn();
      const listed = listedOf(watched, answer);
      return answer.map((entry) => (isFault(entry) ? entry : { observation: entry as Observation, listed }));
    };
    return new DataLoader<Asked, Seen>(ask, {
      cache: false,
      maxBatchSize: mostAtOnce,
      batchScheduleFn: (dispatch) => void this.#gather(last).then(dispatch),
    });
  }
}

/** A joint call is no part of one trace: it is linked to those that it serves. */
function traceOf(asked: readonly Asked[]): CallTrace | null {
  const links = asked.flatMap(({ link }) => link ?? []);
  if (links.length === 0) return null;
  return { links: links.slice(0, mostLinks), attributes: { 'muster.attempts': asked.length } };
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
      // A report may omit a known zone.
      const where = zone ?? machine.zone;
      if (where !== undefined) zones.add(where);
    }
  }
  return { any, zones };
}
