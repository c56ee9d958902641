import {
  type AttemptRecord,
  type MachineRecord,
  type RequestRecord,
  isTerminal,
  machineKey,
} from '../../core/index.ts';
import { isLive, type Cloud, type Machine } from './cloud.ts';
import { defaultSettings, type Settings } from '../../core/reconciler/settings.ts';
import { givenBack, isExcused, isStandby, stays, tooMany, wasHidden, type Owed, type Seen } from './ideal.ts';
import type { Life } from './life.ts';
import { wrongName, wrongOrder } from './names.ts';
import type { Shelf, Written } from './shelf.ts';
import type { Time } from './time.ts';

/** What the rules of a judge are called, so that a run can leave some out. */
export type Rule =
  | 'more than asked'
  | 'more than ordered'
  | 'replaced without cause'
  | 'not replaced'
  | 'ordered where disabled'
  | 'over the limit'
  | 'out of turn'
  | 'living one told gone'
  | 'judged by the clock'
  | 'status changed'
  | 'ended while more may come'
  | 'forgotten'
  | 'signal not carried out'
  | 'names'
  | 'never ended'
  | 'figures'
  | 'shortfall'
  | 'wrong status'
  | 'nobody can release it'
  | 'short without cause'
  | 'unexpected error';

export interface Violation {
  readonly rule: Rule;
  readonly what: string;
  /** The time that truly passed. */
  readonly at: number;
}

/** Settings of the broker that decide what it may be blamed for. */
export type JudgedBy = Pick<Settings, 'pending_timeout_ms' | 'offer_probe_ms' | 'replace_again_ms'>;

/** Looks at every machine that starts and every commit, with the eyes of somebody who knows what truly runs. */
export class Judge {
  readonly violations: Violation[] = [];
  /** Whether an instance takes any number of requests that can be served there within their time-out. */
  isOpen: (cloud: Cloud) => boolean = () => false;
  readonly owed = new Map<string, Owed>();
  /** When a loop, a host or the storage was last kept from its work, or the configuration changed. */
  disturbed_at = -Infinity;
  /** When each replacement truly took over. */
  readonly #took_over = new Map<string, number>();
  readonly #shelf: Shelf;
  readonly #time: Time;
  readonly #clouds: readonly Cloud[];
  readonly #pending_timeout_ms: number;
  readonly #offer_probe_ms: number;
  readonly #replace_again_ms: number;
  readonly #but: ReadonlySet<Rule>;

  constructor(
    shelf: Shelf,
    time: Time,
    clouds: readonly Cloud[],
    { pending_timeout_ms, offer_probe_ms, replace_again_ms }: JudgedBy,
    but: ReadonlySet<Rule>,
  ) {
    this.#shelf = shelf;
    this.#time = time;
    this.#clouds = clouds;
    this.#pending_timeout_ms = pending_timeout_ms;
    this.#offer_probe_ms = offer_probe_ms;
    this.#replace_again_ms = replace_again_ms;
    this.#but = but;
    shelf.written = (rows, life) => this.#written(rows, life);
    for (const cloud of clouds) {
      cloud.started = (request_id) => this.#started(request_id);
      cloud.wrong = (what) => this.fail('more than ordered', what);
      cloud.isKnown = (machine) => this.row(machine) !== undefined;
    }
  }

  fail(rule: Rule, what: string): void {
    if (!this.#but.has(rule)) this.violations.push({ rule, what, at: this.#time.now });
  }

  /** How long the host was suspended: what was open then may stay open for so much longer. */
  suspended_ms = 0;

  /** The time without that in which the host was suspended: nobody could see anything then. */
  get #awake(): number {
    return this.#time.now - this.suspended_ms;
  }

  /** The last jump of the clock that somebody watched. */
  #watched: { readonly ms: number; readonly watching: Life; readonly at: number } | undefined;

  /** The wall clock is set; `watching`: who compares the clocks. */
  jumped(ms: number, watching: Life | undefined): void {
    if (watching) this.#watched = { ms, watching, at: this.#time.now };
    for (const owed of this.owed.values())
      if (owed.held_by === undefined || owed.held_by !== watching) owed.unseen_jumps += Math.abs(ms);
  }

  /** A life ended, perhaps before it compared the clocks after a jump. */
  ended(life: Life): void {
    if (this.#watched?.watching !== life) return;
    const { ms, at } = this.#watched;
    if (this.#time.now - at > defaultSettings.clock_check_ms) return;
    for (const owed of this.owed.values()) if (owed.held_by === life) owed.unseen_jumps += Math.abs(ms);
  }

  row(machine: Machine): MachineRecord | undefined {
    return this.#shelf.machines.get(machineKey({ provider_instance: machine.instance, machine_id: machine.id }));
  }

  machine(row: MachineRecord): Machine | undefined {
    return this.#clouds.find(({ name }) => name === row.provider_instance)?.machines.get(row.machine_id);
  }

  /** Every machine that was ever started for a request, beside its row. */
  seen(request_id: string): Seen[] {
    const attempts = this.#shelf.attempts.get(request_id);
    return this.#clouds.flatMap((cloud) =>
      cloud.of(request_id).map((machine) => ({
        machine,
        row: this.row(machine),
        given_up: attempts?.get(machine.attempt)?.state === 'lost',
        attempt: attempts?.get(machine.attempt),
      })),
    );
  }

  #started(request_id: string): void {
    const owed = this.owed.get(request_id);
    if (!owed) return this.fail('more than asked', `a machine was started for ${request_id}, which nobody made`);
    this.#count(owed);
  }

  #count(owed: Owed): void {
    const many = tooMany(owed, this.seen(owed.request.request_id), this.#awake);
    if (many > 0)
      this.fail(
        'more than asked',
        `${owed.request.request_id}: ${many} too many of ${owed.request.machine_count} run`,
      );
    const all = this.seen(owed.request.request_id);
    const recommended = all.filter(({ machine }) => machine.recommended_at !== undefined).length;
    const standby = all.filter((each) => isStandby(each) && stays(owed, each) && !isExcused(each, this.#awake)).length;
    if (standby > recommended)
      this.fail(
        'replaced without cause',
        `${owed.request.request_id}: ${standby} run beside the others, to replace ${recommended}`,
      );
  }

  /** An order of replacements: one for each machine that the cloud recommended to replace, and only one at a time. */
  #replacements({ request_id, attempt, replaces = [], order }: AttemptRecord): void {
    const wrong = (what: string) =>
      this.fail('replaced without cause', `attempt ${attempt} of ${request_id}: ${what}`);
    if (order.machine_count !== replaces.length) wrong(`${order.machine_count} machines for ${replaces.length}`);
    if (order.template.on_rebalance !== 'replace') wrong('its template replaces none');
    const others = [...(this.#shelf.attempts.get(request_id)?.values() ?? [])].filter(
      (each) => each.attempt !== attempt && !isSettled(each),
    );
    const keys = new Set(replaces.map(machineKey));
    if (keys.size !== replaces.length) wrong('it names a machine twice');
    for (const key of keys) {
      const row = this.#shelf.machines.get(key);
      const machine = row && this.machine(row);
      if (!row || machine?.recommended_at === undefined)
        return wrong(`nobody recommended to replace ${row?.machine_id}`);
      const { machine_id, replaced_by, going, gone_at, took_over_at } = row;
      if (replaced_by || going || gone_at !== undefined) wrong(`${machine_id} needs none any more`);
      if (others.some((each) => each.replaces?.some((other) => machineKey(other) === key)))
        wrong(`another order for ${machine_id} is open`);
      const standing = this.seen(request_id).filter(
        (each) => each.row?.replaces && machineKey(each.row.replaces) === key && each.row.gone_at === undefined,
      );
      if (standing.some((each) => isStandby(each) && each.row?.going === undefined))
        wrong(`another machine waits to replace ${machine_id}`);
      const since = this.#took_over.get(key);
      const unseen = this.owed.get(request_id)?.unseen_jumps ?? 0;
      if (
        took_over_at !== undefined &&
        since !== undefined &&
        this.#time.now - since + unseen < this.#replace_again_ms - 1_000
      )
        wrong(`${machine_id} took over only ${this.#time.now - since} ms ago`);
    }
  }

  /** Nothing keeps an ideal broker from replacing a machine since then. */
  isReplaceable(owed: Owed, { machine, row }: Seen): boolean {
    const since = machine.recommended_at;
    if (since === undefined || owed.request.names) return false;
    const used = row?.ready_at !== undefined && machine.born + 1_000 < since;
    if (!used || owed.request.template?.on_rebalance !== 'replace' || owed.returned.size > 0) return false;
    if (owed.cancelled_at !== undefined || this.disturbed_at >= since || owed.unseen_jumps > 0) return false;
    return (
      this.#clouds.every(({ trouble }) => trouble.hard < since && trouble.at < since) &&
      this.#clouds.some((cloud) => this.isOpen(cloud) && cloud.isWell(since - this.#offer_probe_ms))
    );
  }

  #written(rows: readonly Written[], life: Life | undefined): void {
    const touched = new Set<string>();
    for (const written of rows) {
      if (written.kind === 'request') this.#request(written.row, written.before);
      else if (written.kind === 'attempt') this.#attempt(written.row, written.before, life);
      else if (written.kind === 'machine') this.#machine(written.row, written.before);
      else if (!written.before && written.row.kind !== 'found') {
        const owed = this.owed.get(written.row.request_id);
        owed?.signals.push(written.row);
        if (written.row.kind === 'cancel' && owed) owed.cancelled_at ??= this.#time.now;
        if (written.row.kind === 'complete' && owed) owed.completed_at ??= this.#time.now;
        if (written.row.kind === 'return')
          for (const { machine_id } of written.row.machines) owed?.returned.add(machine_id);
      }
      const held = life && this.owed.get(written.row.request_id);
      if (held) held.held_by = life;
      if (written.kind === 'machine') touched.add(written.row.request_id);
    }
    for (const request_id of touched) {
      const owed = this.owed.get(request_id);
      if (owed) this.#count(owed);
    }
  }

  #request(row: RequestRecord, before: RequestRecord | undefined): void {
    const { request_id, kind, status } = row;
    const { now } = this.#time;
    if (!before && kind === 'provision') {
      const deadline_at = now + (row.deadline_at - row.created_at);
      this.owed.set(request_id, {
        request: row,
        accepted_at: now,
        deadline_at,
        returned: new Set(),
        signals: [],
        unseen_jumps: 0,
      });
      return;
    }
    if (before && isTerminal(before.status) && before.status !== status)
      this.fail('status changed', `${request_id} was ${before.status} and is ${status}`);
    if (!isTerminal(status) || (before && isTerminal(before.status))) return;
    if (kind === 'return') return this.#returned(row);
    const owed = this.owed.get(request_id);
    if (!owed) return;
    owed.ended_at = now;
    const isOwn = ({ replaces }: AttemptRecord) => replaces === undefined || status === 'cancelled';
    const open = [...(this.#shelf.attempts.get(request_id)?.values() ?? [])].filter(
      (attempt) => isOwn(attempt) && !isSettled(attempt),
    );
    if (open.length > 0)
      this.fail('ended while more may come', `${request_id} is ${status}, attempt ${open[0]?.attempt} is not settled`);
    const given = givenBack(owed, this.seen(request_id));
    if (row.delivered < row.machine_count - given && this.#couldHave(owed))
      this.fail(
        'short without cause',
        `${request_id} is ${status} with ${row.delivered} of ${row.machine_count}: ${row.message}`,
      );
    // A call of the provider may have timed out, too.
    const timedOut = row.fulfilment?.shortfall.some(
      ({ code, message }) => code === 'TIMEOUT' && message.startsWith('The time-out of '),
    );
    const late = now >= owed.deadline_at - owed.unseen_jumps - 1_000 || owed.completed_at !== undefined;
    if (timedOut && !late)
      this.fail('judged by the clock', `${request_id} timed out ${owed.deadline_at - now} ms too early`);
  }

  /**
   * Nothing kept an ideal broker from getting all at one of the instances, or from noticing. What lacked capacity is
   * asked again only after a while.
   */
  #couldHave({ accepted_at, cancelled_at, completed_at }: Owed): boolean {
    if (cancelled_at !== undefined || completed_at !== undefined || this.disturbed_at >= accepted_at) return false;
    return (
      this.#clouds.every(({ trouble }) => trouble.hard < accepted_at) &&
      this.#clouds.some((cloud) => this.isOpen(cloud) && cloud.isWell(accepted_at - this.#offer_probe_ms))
    );
  }

  /** Of a return that ended: none of those that it says to be gone may run. */
  #returned(row: RequestRecord): void {
    const named = [...this.#shelf.signals.values()]
      .filter((signal) => signal.return_id === row.request_id)
      .flatMap((signal) => signal.machines);
    const living = named.flatMap((key) => {
      const stored = this.#shelf.machines.get(machineKey(key));
      const machine = stored && this.machine(stored);
      return machine && isLive(machine) && !wasHidden(machine, this.#time.now) ? [machine.id] : [];
    });
    const told = row.fulfilment ? row.fulfilment.delivered : named.length;
    if (told > named.length - living.length)
      this.fail(
        'living one told gone',
        `${row.request_id} is ${row.status}: ${told} gone of ${named.length}, and ${living.join(', ')} run`,
      );
  }

  #attempt(row: AttemptRecord, before: AttemptRecord | undefined, life: Life | undefined): void {
    if (!before && row.replaces) this.#replacements(row);
    const request = this.#shelf.requests.get(row.request_id);
    const wrong = before || !request ? undefined : wrongOrder(row, request, this.#rowsOf(row.request_id));
    if (wrong !== undefined) this.fail('names', `${wrong} (${row.request_id})`);
    if (before || row.state === 'closed') return;
    const { provider_instance, request_id } = row;
    const instance = life?.instances.find(({ name }) => name === provider_instance);
    if (!instance) return;
    if (!instance.enabled)
      this.fail('ordered where disabled', `attempt ${row.attempt} of ${request_id} at '${provider_instance}'`);
    const most = instance.limits.max_concurrent_requests;
    if (most === null) return;
    const isOpen = (each: AttemptRecord): boolean => each.provider_instance === provider_instance && !isSettled(each);
    // A request with an open attempt at the instance keeps its slot, also for a fleet that replaces what it lost.
    const earlier = [...(this.#shelf.attempts.get(request_id)?.values() ?? [])];
    if (earlier.some((each) => each.attempt < row.attempt && isOpen(each))) return;
    const open = [...this.#shelf.attempts].filter(([, mine]) => [...mine.values()].some(isOpen));
    if (open.length > most)
      this.fail('over the limit', `'${provider_instance}' has ${open.length} requests open, it may ${most}`);
  }

  #rowsOf(request_id: string): MachineRecord[] {
    return [...this.#shelf.machines.values()].filter((row) => row.request_id === request_id);
  }

  #machine(row: MachineRecord, before: MachineRecord | undefined): void {
    const machine = this.machine(row);
    const { now } = this.#time;
    const request = this.#shelf.requests.get(row.request_id);
    const wrong = request && wrongName(row, before, request, this.#rowsOf(row.request_id));
    if (wrong !== undefined) this.fail('names', `${wrong} (${row.request_id})`);
    if (row.took_over_at !== undefined && before?.took_over_at === undefined)
      this.#took_over.set(machineKey(row), now);
    if (!machine) return this.fail('figures', `a row says that ${row.machine_id} exists, and it never did`);
    if (row.gone_at !== undefined && before?.gone_at === undefined && isLive(machine) && !wasHidden(machine, now))
      this.fail('living one told gone', `${row.machine_id} runs, and its row says that it is ${row.status} and gone`);
    if (row.status === 'failed' && row.going === 'failed' && before?.going === undefined && isLive(machine)) {
      const owed = this.owed.get(row.request_id);
      const unseen = owed?.unseen_jumps ?? 0;
      const late = owed && (now >= owed.deadline_at - unseen - 1_000 || owed.completed_at !== undefined);
      const age = now - machine.born;
      if (!late && age < this.#pending_timeout_ms - unseen - 1_000)
        this.fail('judged by the clock', `${row.machine_id} was given up ${age} ms after its launch`);
    }
  }
}

/** Nothing more comes of it by itself. */
export const isSettled = ({ state, settled, incoming, reopened }: AttemptRecord): boolean =>
  state === 'closed' || (state !== 'open' && (settled || (incoming === 0 && reopened !== true)));
