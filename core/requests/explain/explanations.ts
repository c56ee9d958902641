import type { Clock } from '../../contract/clock.ts';
import type { Store } from '../../contract/storage.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import { isTerminal, type RequestRecord } from '../../model/request.ts';
import type { ProviderDirectory } from '../../providers/directory.ts';
import {
  absentInstances,
  fallbackOrder,
  waitsForBroker,
  waitsForConnection,
} from '../../reconciler/plan/orders/fallback-order.ts';
import { offersFor, type OfferStanding } from '../../reconciler/plan/orders/offer-states.ts';
import { planOrders } from '../../reconciler/plan/orders/plan-orders.ts';
import { requestRetries, type OfferClock } from '../../reconciler/plan/orders/standing.ts';
import { releaseRefusal } from '../../reconciler/returns/release-refusal.ts';
import { ReturnWatch } from '../../reconciler/returns/return-watch.ts';
import { defaultSettings } from '../../reconciler/settings.ts';
import { tally } from '../../reconciler/state/counting.ts';
import { MachineSet } from '../../reconciler/state/machine-set.ts';
import type { RequestState } from '../../reconciler/state/request-state.ts';
import { byCreation } from '../queries/machine-order.ts';
import type { Lazy } from '../queries/detail.ts';
import { requestNotFound } from '../request-service.ts';
import { because } from './because.ts';
import { becauseReturn } from './because-return.ts';
import type { ReturnSituation, Situation, SlotSituation } from './situation.ts';
import { waitOf } from './wait.ts';
import { waitsFor } from './waiting-for.ts';
import { machinesOf } from './words.ts';
import { turn } from '../../collections/turn.ts';

/** An instance that may get the next order of a request, and its offers. */
export interface OrderedInstance {
  readonly provider_instance: string;
  readonly api: string;
  /** Best first. Empty: the API has no offers, or only another broker knows them. */
  readonly offers: readonly OfferStanding[];
}

/** Why a request is in its present state. Times are epoch milliseconds. */
export interface Explanation {
  readonly request: RequestRecord;
  /** One sentence for people. */
  readonly because: string;
  readonly waiting_for?: { readonly what: string; readonly until?: number };
  /** The instances in the order in which they would get an order now. */
  readonly order: readonly OrderedInstance[];
  readonly attempts: readonly AttemptRecord[];
}

/** The most requests that are read to say who comes first. */
const mostAhead = 100;
const shownAhead = 3;
const machinesAtOnce = 500;

/** Explains requests and returns from what is stored. Never calls a provider. */
export class Explanations {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #providers: ProviderDirectory;

  constructor(store: Store, clock: Clock, providers: ProviderDirectory) {
    this.#store = store;
    this.#clock = clock;
    this.#providers = providers;
  }

  /** Throws REQUEST_NOT_FOUND. Equal answers within a second are computed once. */
  async of(request_id: string): Promise<Lazy<Explanation>> {
    const request = await this.#store.get('request', { request_id });
    if (!request) throw requestNotFound(request_id);
    const second = Math.floor(this.#clock.now() / 1_000);
    return {
      cache_key: `${request_id}:${request.version}:${second}`,
      load: () => (request.kind === 'return' ? this.#return(request) : this.#provision(request)),
    };
  }

  async #provision(request: RequestRecord): Promise<Explanation> {
    const { request_id } = request;
    const [attempts, machines, slots] = await Promise.all([
      this.#store.find('attempt', { where: { request_id } }),
      this.#machines(request_id),
      this.#slots(request),
    ]);
    const state: RequestState = { request, attempts, machines, signals: [] };
    const now = this.#clock.now();
    const at: OfferClock = { ...defaultSettings, now, ...requestRetries(request) };
    const { options, elsewhere } = fallbackOrder(request, this.#providers);
    const { missing } = tally(state);
    const planned = missing > 0 && at.retries ? planOrders(state, options, missing, at) : undefined;
    const awaited =
      absentInstances(request, this.#providers).find((name) => request.message === waitsForBroker(name)) ??
      elsewhere.find(({ provider_instance: name }) => request.message === waitsForConnection(name))?.provider_instance;
    const situation: Situation = {
      ...state,
      now,
      isServed: (name) => this.#isServed(name),
      trouble: (name) => this.#trouble(name),
      ...(awaited === undefined ? {} : { awaited }),
      ...(slots ? { slots } : {}),
      ...(planned?.tried_again_at === undefined ? {} : { tried_again_at: planned.tried_again_at }),
    };
    const wait = waitOf(situation);
    return {
      request,
      because: because(situation),
      ...(wait
        ? { waiting_for: { what: waitsFor(wait), ...(wait.until === undefined ? {} : { until: wait.until }) } }
        : {}),
      order: [
        ...options.map((option) => ({
          provider_instance: option.provider_instance,
          api: option.api,
          offers: offersFor(state, option, at),
        })),
        ...elsewhere.map(({ provider_instance }) => ({
          provider_instance,
          api: this.#providers.apiNames(provider_instance)[0] ?? '',
          offers: [],
        })),
      ],
      attempts,
    };
  }

  /** Reads the machines in pages, so that other calls are served meanwhile. */
  async #machines(request_id: string): Promise<MachineSet> {
    const machines = new MachineSet();
    for (let offset = 0; ; offset += machinesAtOnce) {
      const where = { request_id };
      const page = await this.#store.find('machine', { where, order: byCreation, limit: machinesAtOnce, offset });
      for (const machine of page) machines.put(machine);
      if (page.length < machinesAtOnce) return machines;
      await turn();
    }
  }

  #isServed(instance: string): boolean {
    return this.#providers.selectable.some(({ name }) => name === instance);
  }

  #trouble(instance: string): string | undefined {
    const { status, message } = this.#providers.health(instance);
    return status === 'unhealthy' ? (message ?? 'It does not answer.') : undefined;
  }

  /** The slots of the instance that a request waits for. */
  async #slots({ waits_for, created_at, request_id, status }: RequestRecord): Promise<SlotSituation | undefined> {
    const max = this.#providers.selectable.find(({ name }) => name === waits_for)?.limits.max_concurrent_requests;
    if (waits_for === undefined || isTerminal(status) || max === null || max === undefined) return undefined;
    const waiting = await this.#store.find('request', {
      where: { waits_for },
      order: [['created_at', 'asc']],
      limit: mostAhead,
    });
    const ahead = waiting.filter(
      (each) =>
        !isTerminal(each.status) &&
        (each.created_at < created_at || (each.created_at === created_at && each.request_id < request_id)),
    );
    return {
      max,
      ahead: ahead.slice(0, shownAhead).map((each) => each.request_id),
      ahead_count: ahead.length,
    };
  }

  async #return(request: RequestRecord): Promise<Explanation> {
    const watch = new ReturnWatch(this.#store, request);
    const progress = await watch.progress((name) => this.#isServed(name));
    const over = isTerminal(request.status);
    const refusal = progress.left > 0 && progress.accepted ? await releaseRefusal(this.#store, request) : undefined;
    const situation: ReturnSituation = { request, ...progress, ...(refusal ? { refusal } : {}) };
    const waiting_for = {
      what: `the end of ${machinesOf(progress.left)}`,
      ...(over ? {} : { until: request.deadline_at }),
    };
    return {
      request,
      because: becauseReturn(situation),
      ...(progress.left > 0 ? { waiting_for } : {}),
      order: [],
      attempts: [],
    };
  }
}
