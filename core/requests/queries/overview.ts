import type { Clock } from '../../contract/clock.ts';
import type { Store } from '../../contract/storage.ts';
import { machineStatuses, type MachineStatus } from '../../model/machine.ts';
import type { RequestRecord } from '../../model/request.ts';
import type { Lazy } from './detail.ts';
import { LivingCost, type RunningCost } from './living-cost.ts';

/** Machines of a template or of an instance: those that live, and those that open requests still wait for. */
export interface Use {
  readonly allocated: number;
  readonly requested: number;
}

/** An open request or return. `delivered`: machines that are ready, or of a return, that are gone. */
export interface OpenRequest {
  readonly request: RequestRecord;
  readonly delivered: number;
}

/** What the broker is doing now. */
export interface OverviewState {
  readonly machines: Readonly<Record<MachineStatus, number>>;
  /** What the machines that live cost. */
  readonly cost: RunningCost;
  readonly open_requests: number;
  readonly open_returns: number;
  /** The oldest open requests and returns. */
  readonly open: readonly OpenRequest[];
  /** Requests that ended lately with fewer machines than requested, the latest first. */
  readonly short: readonly RequestRecord[];
  readonly templates: ReadonlyMap<string, Use>;
  readonly instances: ReadonlyMap<string, Use>;
}

/** How many open requests are read, to add up what they wait for. */
const mostOpen = 1_000;
const mostShown = 50;
/** How many requests that ended last are searched for those that fell short, how many are shown, and since when. */
const mostEnded = 200;
const mostShort = 20;
const short_ms = 24 * 3_600_000;
/** For how many templates machines are counted. */
const mostTemplates = 500;

const open = ['pending', 'in_progress'] as const;
/** Every other state is an end. */
const living = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'] as const;

/** Adds up requests and machines. Bounded reads, whatever is stored. Never calls a provider. */
export class Overview {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #cost: LivingCost;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#cost = new LivingCost(store, clock);
  }

  /** The present state. The answer only changes when a request or a machine changes, or with the given names. */
  async read(templates: readonly string[], instances: readonly string[]): Promise<Lazy<OverviewState>> {
    const [requests, machines] = await Promise.all([this.#store.changes('request'), this.#store.changes('machine')]);
    return {
      cache_key: `${requests}:${machines}:${this.#cost.keyAt(machines)}:${templates.join(' ')}:${instances.join(' ')}`,
      load: async () => ({ ...(await this.#load(templates, instances)), cost: await this.#cost.read(machines) }),
    };
  }

  async #load(templates: readonly string[], instances: readonly string[]): Promise<Omit<OverviewState, 'cost'>> {
    const store = this.#store;
    const [counted, requests, ended] = await Promise.all([
      Promise.all(machineStatuses.map(async (status) => [status, await store.count('machine', { status })] as const)),
      store.find('request', { where: { status: [...open] }, order: [['created_at', 'asc']], limit: mostOpen }),
      store.find('request', {
        where: { status: ['completed', 'failed'] },
        order: [['created_at', 'desc']],
        limit: mostEnded,
      }),
    ]);
    const [open_requests, open_returns] = await Promise.all(
      (['provision', 'return'] as const).map((kind) => store.count('request', { kind, status: [...open] })),
    );
    const since = this.#clock.now() - short_ms;
    return {
      machines: Object.fromEntries(counted) as Record<MachineStatus, number>,
      open_requests: open_requests ?? 0,
      open_returns: open_returns ?? 0,
      open: await Promise.all(requests.slice(0, mostShown).map((request) => this.#progress(request))),
      short: ended.filter((request) => isShort(request) && (request.completed_at ?? 0) >= since).slice(0, mostShort),
      templates: await this.#use('template_id', templates.slice(0, mostTemplates), requests),
      instances: await this.#use('provider_instance', instances, requests),
    };
  }

  async #progress(request: RequestRecord): Promise<OpenRequest> {
    if (request.kind === 'provision') return { request, delivered: request.delivered };
    const left = await this.#store.count('machine', { return_id: request.request_id, gone_at: null });
    return { request, delivered: Math.max(0, request.machine_count - left) };
  }

  async #use(
    field: 'template_id' | 'provider_instance',
    names: readonly string[],
    requests: readonly RequestRecord[],
  ): Promise<ReadonlyMap<string, Use>> {
    const requested = new Map<string, number>();
    for (const { kind, machine_count, delivered, ...request } of requests) {
      const name = request[field];
      if (kind !== 'provision' || !name) continue;
      requested.set(name, (requested.get(name) ?? 0) + Math.max(0, machine_count - delivered));
    }
    const counted = await Promise.all(
      [...new Set([...names, ...requested.keys()])].map(async (name) => {
        const allocated = await this.#store.count('machine', { [field]: name, status: [...living] });
        return [name, { allocated, requested: requested.get(name) ?? 0 }] as const;
      }),
    );
    return new Map(counted);
  }
}

const isShort = ({ kind, delivered, machine_count }: RequestRecord): boolean =>
  kind === 'provision' && delivered < machine_count;
