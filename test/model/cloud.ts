import {
  ProviderFault,
  type ReleaseTarget,
  type Launch,
  type LaunchOrder,
  type MachineReport,
  type NoticeMessage,
  type Observation,
  type Shortfall,
} from '../../core/index.ts';
import type { LaunchMood, ListMood, ObserveMood, ReleaseMood } from './commands.ts';
import type { ApiSetup } from './setup.ts';
import type { Time } from './time.ts';

export type EndedBy = 'release' | 'cloud' | 'sweep';

/** A machine as it truly is. Times are those that truly passed. */
export interface Machine {
  readonly id: string;
  readonly instance: string;
  readonly token: string;
  readonly request_id: string;
  readonly attempt: number;
  readonly offer: string;
  readonly born: number;
  readonly ready: number;
  readonly seen: number;
  /** A fleet started it in place of one that was lost. */
  readonly replacement: boolean;
  /** A fleet started it after it had answered: nobody knows of it before he looks. */
  readonly delivered: boolean;
  /** It came of a call that was on the wire when its sender died. */
  readonly late: boolean;
  ended?: number;
  dead?: number;
  ended_by?: EndedBy;
  /** When the cloud recommended to replace it. */
  recommended_at?: number;
  /** It was left out of lists, by itself, until then. */
  hidden_until: number;
}

interface Fleet {
  readonly order: LaunchOrder<any, any>;
  readonly spelled: string;
  /** How many it keeps, or still delivers. */
  target: number;
  incoming: number;
  deleted: boolean;
  filling: boolean;
}

interface Window<M> {
  readonly mood: M;
  readonly since: number;
  readonly until: number;
}

const shutdownMs = 1_500;
const deliverMs = 3_000;
const anywhere = '*';

export const isLive = (machine: Machine): boolean => machine.ended === undefined;

/**
 * One instance's cloud: what truly runs there, and how it misbehaves. It keeps the contract of a provider in all that
 * it says.
 */
export class Cloud {
  readonly name: string;
  readonly machines = new Map<string, Machine>();
  readonly fleets = new Map<string, Fleet>();
  readonly #byToken = new Map<string, Machine[]>();
  readonly #byRequest = new Map<string, Machine[]>();
  readonly free = new Map<string, number>();
  readonly launchMoods: LaunchMood[] = [];
  readonly releaseMoods: ReleaseMood[] = [];
  observing: Window<ObserveMood> | undefined;
  listing: Window<ListMood> | undefined;
  refusesUntil = 0;
  /** Notices that nobody acknowledged yet. */
  messages: readonly NoticeMessage[] = [];
  #arrived: (() => void)[] = [];
  /**
   * When something last kept a caller from getting what is ordered here; `hard`: in a way that others cannot make up
   * for.
   */
  readonly trouble = { at: -Infinity, hard: -Infinity };
  /** Told for whom machines were started. */
  started: (request_id: string) => void = () => undefined;
  /** Whether a broker has this machine in its store. */
  isKnown: (machine: Machine) => boolean = () => false;
  /** Told of what no broker may do. */
  wrong: (what: string) => void = () => undefined;
  readonly #api: ApiSetup;
  readonly #time: Time;

  constructor(name: string, api: ApiSetup, time: Time, free: number | null) {
    this.name = name;
    this.#api = api;
    this.#time = time;
    for (const offer of this.offers) this.free.set(offer, free ?? Infinity);
  }

  get offers(): readonly string[] {
    return this.#api.offers === 0
      ? [anywhere]
      : Array.from({ length: this.#api.offers }, (_, index) => `pool-${index}`);
  }

  /** All that were ever started for a request. */
  of(request_id: string): readonly Machine[] {
    return this.#byRequest.get(request_id) ?? [];
  }

  live(): Machine[] {
    return [...this.machines.values()].filter(isLive);
  }

  /** Whether all that is ordered here since then comes, and stays. */
  isWell(since: number): boolean {
    return (
      this.trouble.at < since &&
      this.trouble.hard < since &&
      [...this.free.values()].every((free) => free === Infinity)
    );
  }

  refuse(ms: number): void {
    this.refusesUntil = this.#time.now + ms;
    this.trouble.at = this.refusesUntil;
  }

  calm(): void {
    this.launchMoods.length = 0;
    this.releaseMoods.length = 0;
    this.observing = undefined;
    this.listing = undefined;
    this.refusesUntil = Math.min(this.refusesUntil, this.#time.now);
    for (const machine of this.machines.values())
      machine.hidden_until = Math.min(machine.hidden_until, this.#time.now);
  }

  observeBadly(mood: ObserveMood, ms: number): void {
    const { now } = this.#time;
    this.observing = { mood, since: now, until: now + ms };
    this.trouble.hard = now + ms;
    if (mood !== 'missing') return;
    for (const [index, machine] of this.live().entries()) if (index % 2 === 0) machine.hidden_until = now + ms;
  }

  listBadly(mood: ListMood, ms: number): void {
    this.listing = { mood, since: this.#time.now, until: this.#time.now + ms };
  }

  setFree(offer: string, free: number | null): void {
    // What was ordered until now may have lacked capacity, which a broker remembers for a while.
    if (this.free.get(offer) !== Infinity) this.trouble.at = this.#time.now;
    this.free.set(offer, free ?? Infinity);
    for (const fleet of this.fleets.values()) this.#fill(fleet);
  }

  /** The cloud takes a machine away. */
  take(machine: Machine): void {
    this.trouble.hard = this.#time.now;
    this.end(machine, 'cloud');
    machine.dead = this.#time.now;
  }

  /** The cloud recommends to replace a machine. */
  recommend(machine: Machine): void {
    machine.recommended_at ??= this.#time.now;
    const at = new Date(this.#time.trueWall()).toISOString();
    const notice = { machine_id: machine.id, kind: 'rebalance', at } as const;
    this.messages = [...this.messages, { receipt: `${machine.id} ${this.#time.now}`, notices: [notice] }];
    for (const go of this.#arrived.splice(0)) go();
  }

  /** Resolves with the next notice. */
  arrival(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  forget(receipts: readonly string[]): void {
    this.messages = this.messages.filter(({ receipt }) => !receipts.includes(receipt));
  }

  end(machine: Machine, by: EndedBy): void {
    if (!isLive(machine)) return;
    machine.ended = this.#time.now;
    machine.dead = this.#time.now + shutdownMs;
    machine.ended_by = by;
    this.free.set(machine.offer, (this.free.get(machine.offer) ?? 0) + 1);
    const fleet = this.fleets.get(machine.token);
    if (fleet) this.#fill(fleet);
  }

  launch(order: LaunchOrder<any, any>, late = false): Launch<{ token: string }> {
    const spelled = JSON.stringify([
      order.machine_count,
      order.offers,
      order.template,
      order.tags,
      order.request_id,
      order.attempt,
    ]);
    const known = this.fleets.get(order.token);
    if (known && known.spelled !== spelled)
      this.wrong(`token ${order.token} was used for two orders: ${known.spelled} and ${spelled}`);
    const mood = this.launchMoods.shift();
    if (mood !== undefined) this.trouble[isSoft(mood) ? 'at' : 'hard'] = this.#time.now;
    if (known) return this.#replay(known, mood);
    if (mood === 'lost, not executed') throw new ProviderFault('unknown-outcome', 'The answer was lost.');
    if (mood !== undefined && mood !== 'part' && mood !== 'never ready' && mood !== 'lost, executed')
      throw new ProviderFault(mood, `The cloud says ${mood}.`);
    const fleet: Fleet = { order, spelled, target: order.machine_count, incoming: 0, deleted: false, filling: false };
    const now =
      mood === 'part' || this.#api.kind !== 'plain' ? Math.ceil(order.machine_count / 2) : order.machine_count;
    const places = this.#api.kind === 'plain' ? this.#places(fleet) : 1;
    if (places === 0) throw new ProviderFault('capacity', 'There are no machines now.', { code: 'NoCapacity' });
    this.fleets.set(order.token, fleet);
    fleet.incoming = this.#api.kind === 'plain' ? 0 : order.machine_count;
    for (let i = 0; i < now; i++) if (!this.#start(fleet, { late, never: mood === 'never ready' })) break;
    this.started(order.request_id);
    this.#fill(fleet);
    if (mood === 'lost, executed') throw new ProviderFault('unknown-outcome', 'The answer was lost.');
    return this.#answer(fleet, this.#mine(fleet).length < order.machine_count && this.#api.kind === 'plain');
  }

  observe(token: string): Observation<{ token: string }> {
    const { now } = this.#time;
    const window = this.observing !== undefined && now < this.observing.until ? this.observing : undefined;
    const fleet = this.fleets.get(token);
    if (!fleet) return { machines: [], settled: true };
    const at = window?.mood === 'stale' ? window.since : now;
    const listed =
      window?.mood === 'empty' ? [] : this.#mine(fleet).flatMap((machine) => this.#report(machine, at) ?? []);
    // An empty list proves nothing: those that it should have are asked for by name.
    const machines =
      listed.length > 0 || window !== undefined
        ? listed
        : this.#mine(fleet).flatMap((machine) => this.#named(machine) ?? []);
    const short = fleet.incoming > 0 && this.#places(fleet) === 0;
    // What came and cannot be seen yet is still to come for whoever looks.
    const seen = new Set(machines.map(({ machine_id }) => machine_id));
    const unseen = this.#mine(fleet).some(
      (machine) => isLive(machine) && !seen.has(machine.id) && !this.isKnown(machine),
    );
    return {
      machines,
      settled: this.#settled(fleet) && !unseen,
      ...(short ? { stuck: true, shortfall: [lackingFor(fleet.incoming)] } : {}),
    };
  }

  release(token: string, aim: ReleaseTarget): { readonly done: boolean; readonly again_ms?: number } {
    const mood = this.releaseMoods.shift();
    if (mood !== undefined) this.trouble.hard = this.#time.now;
    if (mood === 'unavailable' || mood === 'throttled') throw new ProviderFault(mood, `The cloud says ${mood}.`);
    if (mood === 'lost, not executed') throw new ProviderFault('unknown-outcome', 'The answer was lost.');
    const fleet = this.fleets.get(token);
    if (!fleet) throw new ProviderFault('gone', 'There is no such order.');
    fleet.target = aim.stay.length + aim.incoming;
    fleet.incoming = this.#api.kind === 'plain' ? 0 : aim.incoming;
    const go = mood === 'not done' ? aim.go.slice(0, Math.floor(aim.go.length / 2)) : aim.go;
    for (const { machine_id } of go) {
      const machine = this.machines.get(machine_id);
      if (machine) this.end(machine, 'release');
    }
    this.#fill(fleet);
    if (mood === 'lost, executed') throw new ProviderFault('unknown-outcome', 'The answer was lost.');
    return mood === 'not done' ? { done: false, again_ms: 1_000 } : { done: true };
  }

  dispose(token: string): void {
    const fleet = this.fleets.get(token);
    if (!fleet) return;
    fleet.deleted = true;
    fleet.incoming = 0;
    fleet.target = 0;
  }

  find(token: string): { token: string } | undefined {
    const fleet = this.fleets.get(token);
    return fleet && !fleet.deleted && this.#mine(fleet).some((machine) => machine.seen <= this.#time.now)
      ? { token }
      : undefined;
  }

  /** What a list of everything says of a machine; undefined when it is not on it. */
  listed(machine: Machine): MachineReport | undefined {
    const report = this.#report(machine, this.#time.now);
    return report?.status === 'terminated' ? undefined : report;
  }

  #replay(fleet: Fleet, mood: LaunchMood | undefined): Launch<{ token: string }> {
    if (mood === 'throttled' || mood === 'unavailable' || mood === 'credentials')
      throw new ProviderFault(mood, `The cloud says ${mood}.`);
    if (mood === 'lost, executed' || mood === 'lost, not executed')
      throw new ProviderFault('unknown-outcome', 'The answer was lost.');
    return this.#answer(fleet, this.#api.kind === 'plain' && this.#mine(fleet).length < fleet.order.machine_count);
  }

  #answer(fleet: Fleet, short: boolean): Launch<{ token: string }> {
    // Whoever starts machines knows their ids, whether they are on lists yet or not.
    const machines = this.#mine(fleet).flatMap(
      (machine) => this.#report({ ...machine, seen: 0, hidden_until: 0 }, this.#time.now) ?? [],
    );
    const lacking = lackingFor(fleet.order.machine_count - machines.length);
    return {
      handle: { token: fleet.order.token },
      machines,
      settled: this.#settled(fleet),
      ...(short ? { shortfall: [lacking] } : {}),
    };
  }

  #settled(fleet: Fleet): boolean {
    if (fleet.deleted || this.#api.kind === 'plain') return true;
    if (fleet.incoming > 0) return false;
    return this.#api.kind === 'request' || this.#mine(fleet).filter(isLive).length >= fleet.target;
  }

  #mine(fleet: Fleet): readonly Machine[] {
    return this.#byToken.get(fleet.order.token) ?? [];
  }

  /** A fleet delivers what is still to come of it, one after the other. */
  #fill(fleet: Fleet): void {
    if (fleet.filling || this.#api.kind === 'plain' || !this.#lacks(fleet)) return;
    fleet.filling = true;
    this.#time.after(deliverMs, () => {
      fleet.filling = false;
      if (!this.#lacks(fleet) || !this.#start(fleet, { delivered: true })) return;
      this.started(fleet.order.request_id);
      this.#fill(fleet);
    });
  }

  #lacks(fleet: Fleet): boolean {
    if (fleet.deleted || this.#places(fleet) === 0) return false;
    if (fleet.incoming > 0) return true;
    return this.#api.kind === 'maintain' && this.#mine(fleet).filter(isLive).length < fleet.target;
  }

  #places(fleet: Fleet): number {
    return this.#offersOf(fleet).reduce((sum, offer) => sum + (this.free.get(offer) ?? 0), 0);
  }

  #offersOf({ order }: Fleet): readonly string[] {
    return order.offers?.map((offer) => offer.key) ?? [anywhere];
  }

  #start(
    fleet: Fleet,
    how: { readonly delivered?: true; readonly late?: boolean; readonly never?: boolean },
  ): boolean {
    const offer = this.#offersOf(fleet).find((each) => (this.free.get(each) ?? 0) > 0);
    if (offer === undefined) return false;
    const { order } = fleet;
    const { now } = this.#time;
    this.free.set(offer, (this.free.get(offer) ?? 0) - 1);
    const { delivered = false, late = false, never = false } = how;
    const replacement = delivered && fleet.incoming === 0;
    if (fleet.incoming > 0) fleet.incoming -= 1;
    const machine: Machine = {
      id: `${this.name}-${this.machines.size + 1}`,
      instance: this.name,
      token: order.token,
      request_id: order.request_id,
      attempt: order.attempt,
      offer,
      born: now,
      ready: never ? Infinity : now + this.#api.boot_ms,
      seen: now + this.#api.seen_after_ms,
      replacement,
      delivered,
      late,
      hidden_until: 0,
    };
    this.machines.set(machine.id, machine);
    push(this.#byToken, machine.token, machine);
    push(this.#byRequest, machine.request_id, machine);
    return true;
  }

  /** What the cloud says of a machine that is known and that it has forgotten. */
  #named({ id, dead = Infinity, ...machine }: Machine): MachineReport | undefined {
    if (this.#time.now <= dead + this.#api.forget_ms || !this.isKnown({ id, dead, ...machine })) return undefined;
    return { machine_id: id, status: 'terminated', ready: false, message: 'It is not known.' };
  }

  /** A machine as it was at a time; undefined when it was not, or is not, to be seen. */
  #report(machine: Machine, at: number): MachineReport | undefined {
    const { id, born, ready, seen, dead = Infinity, ended = Infinity } = machine;
    // However old a list is: after this time a machine is on it.
    const overdue = this.#time.now > born + Math.max(this.#api.visible_within_ms, this.#api.seen_after_ms);
    if ((seen > at && !overdue) || machine.hidden_until > this.#time.now || at > dead + this.#api.forget_ms)
      return undefined;
    const launched_at = new Date(this.#time.trueWall() - this.#time.now + born).toISOString();
    const data = { offer: machine.offer };
    const named = { machine_id: id, launched_at, name: `host-${id}`, private_ip: '10.0.0.1', data };
    if (at >= dead) return { ...named, status: 'terminated', ready: false };
    if (at >= ended) return { ...named, status: 'shutting-down', ready: false };
    return at >= ready ? { ...named, status: 'running', ready: true } : { ...named, status: 'pending', ready: false };
  }
}

/** Another instance can make up for it. */
const isSoft = (mood: LaunchMood): boolean =>
  mood === 'part' || mood === 'capacity' || mood === 'quota' || mood === 'credentials' || mood === 'unavailable';

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

const lackingFor = (count: number): Shortfall => ({
  kind: 'capacity',
  code: 'NoCapacity',
  message: 'There are not as many machines now.',
  count,
});
