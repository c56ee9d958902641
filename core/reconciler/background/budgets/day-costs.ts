import { chunks } from '../../../collections/chunks.ts';
import type { Store } from '../../../contract/storage.ts';
import { microusd, type Budget } from '../../../budgets/budget.ts';
import { machineKey, type MachineRecord } from '../../../model/machine.ts';
import { storableTags, type Tags } from '../../../model/budget/reserved.ts';
import { tagsOfOrder, tagsOfRequest } from '../../plan/machine-tags.ts';
import { turn } from '../../../collections/turn.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** The most records that are read before other work runs. */
const rowsAtOnce = 500;
/** Storages limit how many values one comparison may list. */
const machinesAtOnce = 200;
/** Brokers write the time of an end before they commit it: later commits may have earlier times. */
const overlapMs = 60_000;

/** A machine that is gone, as far as its cost concerns budgets. */
interface Gone {
  readonly from: number;
  readonly until: number;
  /** Millionths of a dollar for an hour; undefined: not known. */
  readonly price: number | undefined;
  readonly budgets: readonly Budget[];
}

/**
 * Adds up what the machines of budgets cost in the last 24 hours, by the prices that were known when they came. Of
 * machines that are gone, each is read once. A machine without a known price costs `unknown_price_usd` of the budget.
 */
export class DayCosts {
  readonly #store: Store;
  readonly #budgets: readonly Budget[];
  readonly #gone = new Map<string, Gone>();
  /** By the order of the machines. */
  readonly #tags = new Map<string, Tags>();
  #readUntil: number | undefined;

  /** `budgets`: those with a limit for a day. */
  constructor(store: Store, budgets: readonly Budget[]) {
    this.#store = store;
    this.#budgets = budgets;
  }

  /** Millionths of a dollar by the name of the budget. */
  async read(now: number): Promise<ReadonlyMap<string, number>> {
    const since = now - dayMs;
    for (const [key, { until }] of this.#gone) if (until <= since) this.#gone.delete(key);
    const last = Math.max(since, (this.#readUntil ?? since) - overlapMs);
    await this.#each({ gone_at: { after: last } }, (machine, budgets) => {
      if (machine.gone_at !== undefined)
        this.#gone.set(machineKey(machine), costOf(machine, machine.gone_at, budgets));
    });
    this.#readUntil = now;
    const sums = new Map(this.#budgets.map(({ name }) => [name, 0]));
    const add = ({ from, until, price, budgets }: Gone) => {
      const hours = Math.max(0, Math.min(until, now) - Math.max(from, since)) / hourMs;
      for (const { name, unknown_price_usd = 0 } of budgets)
        sums.set(name, (sums.get(name) ?? 0) + hours * (price ?? microusd(unknown_price_usd)));
    };
    const living = new Set<string>();
    await this.#each({ gone_at: null }, (machine, budgets) => {
      living.add(orderOf(machine));
      // It may have been missing only.
      this.#gone.delete(machineKey(machine));
      add(costOf(machine, now, budgets));
    });
    for (const each of this.#gone.values()) add(each);
    for (const order of this.#tags.keys()) if (!living.has(order)) this.#tags.delete(order);
    return new Map([...sums].map(([name, sum]) => [name, Math.ceil(sum)]));
  }

  async #each(
    where: { readonly gone_at: null | { readonly after: number } },
    visit: (machine: MachineRecord, budgets: readonly Budget[]) => void,
  ): Promise<void> {
    const order = [[where.gone_at === null ? 'created_at' : 'gone_at', 'asc']] as const;
    for (let offset = 0; ; offset += rowsAtOnce) {
      const page = await this.#store.find('machine', { where, order, limit: rowsAtOnce, offset });
      await this.#learnTags(page);
      for (const machine of page) {
        const budgets = this.#budgets.filter((budget) => this.#counts(budget, machine));
        if (budgets.length > 0) visit(machine, budgets);
      }
      if (page.length < rowsAtOnce) return;
      await turn();
    }
  }

  #counts({ scope }: Budget, machine: MachineRecord): boolean {
    const { template_id, provider_instance, market, tags } = scope;
    const own = tags && this.#tags.get(orderOf(machine));
    return (
      (template_id ?? machine.template_id) === machine.template_id &&
      (provider_instance ?? machine.provider_instance) === machine.provider_instance &&
      (market === undefined || machine.market === undefined || market === machine.market) &&
      Object.entries(tags ?? {}).every(([name, value]) => own?.[name] === value)
    );
  }

  async #learnTags(machines: readonly MachineRecord[]): Promise<void> {
    if (this.#budgets.every(({ scope }) => scope.tags === undefined)) return;
    const all = machines.filter((machine) => !this.#tags.has(orderOf(machine)));
    for (const unknown of chunks(all, machinesAtOnce)) {
      const request_id = [...new Set(unknown.map((machine) => machine.request_id))];
      const attempt = [...new Set(unknown.map((machine) => machine.attempt))];
      const requests = await this.#store.find('request', { where: { request_id } });
      const usual = new Map(requests.map((request) => [request.request_id, storableTags(tagsOfRequest(request))]));
      // A machine that was found without its order has the tags of its request.
      for (const machine of unknown) {
        const tags = usual.get(machine.request_id);
        if (tags) this.#tags.set(orderOf(machine), tags);
      }
      const orders = new Set(unknown.map(orderOf));
      for (const each of await this.#store.find('attempt', { where: { request_id, attempt } }))
        if (orders.has(orderOf(each))) this.#tags.set(orderOf(each), storableTags(tagsOfOrder(each.order)));
    }
  }
}

const orderOf = ({ request_id, attempt }: Pick<MachineRecord, 'request_id' | 'attempt'>): string =>
  `${request_id}/${attempt}`;

const costOf = ({ created_at, price }: MachineRecord, until: number, budgets: readonly Budget[]): Gone => ({
  from: created_at,
  until,
  price: price && microusd(price.usd_per_hour),
  budgets,
});
