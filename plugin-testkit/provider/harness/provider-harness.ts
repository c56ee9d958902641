import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import {
  isFault,
  systemClock,
  type ReleaseTarget,
  type Call,
  type Launch,
  type Log,
  type MachineRef,
  type Observation,
  type ProviderFault,
  type Template,
} from '../../../core/index.ts';
import type { Ending } from '../../runner.ts';
import {
  apply,
  knownOf,
  launched,
  refOf,
  stored,
  tokenOf,
  type Attempt,
  type Order,
  type OrderOptions,
} from './attempt.ts';
import { notJson } from '../answers/not-json.ts';
import { delivered, outcomeOf, valueOf, type Outcome } from '../answers/outcome.ts';
import type { ProviderWorld } from '../provider-kit.ts';
import { assertLaunch, assertObservations } from '../answers/reports.ts';
import { readConfig, readTemplate } from './read-input.ts';
import { shown } from '../answers/says.ts';
import type { Subject } from '../subject.ts';

/** Whether a call need not be made again: it was not put off. */
const isFinal = (outcome: Outcome<unknown>): boolean =>
  outcome.kind !== 'fault' || (outcome.fault.kind !== 'unavailable' && outcome.fault.kind !== 'throttled');

const callMs = 30_000;
/** How often what is awaited is looked for at least. */
const mostRounds = 60;

/** Drives a plugin in a world as the broker does: everything that is stored passes through JSON in between. */
export class ProviderHarness<World extends ProviderWorld = any> {
  readonly subject: Subject<World>;
  readonly world: World;
  readonly installation = `kit${randomUUID().replaceAll('-', '')}`;
  readonly config: Readonly<Record<string, unknown>>;
  readonly template: Template;
  /** Lines that the plugin wrote to its log. */
  readonly lines: string[] = [];
  readonly attempts: Attempt[] = [];
  readonly #sessions: unknown[] = [];
  readonly #prepared: Order[] = [];
  #first: Promise<unknown> | undefined;
  #closed = false;

  private constructor(subject: Subject<World>, world: World, ending: Ending) {
    this.subject = subject;
    this.world = world;
    ending.defer(() => this.closeWorld());
    ending.defer(() => this.#end());
    this.config = readConfig(subject, world.config);
    this.template = readTemplate(subject, world.template ?? {});
  }

  /** Opens a world, and ends with the check everything that was opened. */
  static async open<W extends ProviderWorld>(subject: Subject<W>, ending: Ending): Promise<ProviderHarness<W>> {
    const world = await subject.kit.open();
    const harness = new ProviderHarness(subject, world, ending);
    return harness;
  }

  /** Ends the world, once. */
  async closeWorld(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.subject.kit.close?.(this.world);
  }

  /** A call as the broker makes one, given up after half a minute. */
  call(more: Partial<Call> = {}): Call {
    return { signal: AbortSignal.timeout(callMs), fence: () => undefined, log: this.#log, ...more };
  }

  /** A new session: what another process, or the same after a restart, would have. */
  async connect(installation: string = this.installation): Promise<any> {
    const { type } = this.subject;
    const session = await delivered('connect', () =>
      type.connect(this.config as never, {
        instance: 'kit',
        endpoint: async (url) => (await this.world.endpoint?.(url)) ?? url,
        clock: this.world.clock ?? systemClock,
        log: this.#log,
        installation,
        calls: { record: () => undefined },
      }),
    );
    this.#sessions.push(session);
    return session;
  }

  /** The session that is used where none is named. */
  session(): Promise<any> {
    return (this.#first ??= this.connect());
  }

  /** An order that was never sent and never prepared. */
  draft(options: OrderOptions = {}): Order {
    const { api, count } = this.subject;
    const { request_id = `req-${randomUUID()}`, attempt = 1, installation = this.installation } = options;
    const offers = api.offers?.(stored(this.template));
    return stored({
      request_id,
      attempt,
      token: tokenOf(installation, request_id, attempt),
      machine_count: options.count ?? count,
      template: this.template,
      ...(offers === undefined
        ? {}
        : { offers: api.capabilities.offers_per_launch === 'one' ? offers.slice(0, 1) : offers }),
      tags: { purpose: 'conformance' },
      prepared: undefined,
    });
  }

  /** An order, prepared as the broker has it prepared and stored before the first launch. */
  async order(options: OrderOptions = {}, session?: unknown): Promise<Order> {
    return this.prepare(this.draft(options), session);
  }

  async prepare(order: Order, session?: unknown): Promise<Order> {
    const { api } = this.subject;
    if (!api.prepare) return order;
    const on = session ?? (await this.session());
    const prepared: unknown = await api.prepare(on, stored(order), this.call());
    const unstorable = notJson(prepared, 'prepared');
    assert.ok(unstorable === undefined, `prepare: ${unstorable}. What it gives is stored as JSON before the launch.`);
    const made = { ...order, prepared: stored(prepared) };
    this.#prepared.push(made);
    return made;
  }

  /**
   * Sends an order, and gives what the plugin answered as the broker would store it. Throws what the plugin throws.
   */
  async send(order: Order, session?: unknown, call = this.call()): Promise<Launch> {
    const on = session ?? (await this.session());
    const launch: Launch = await this.subject.api.launch(on, stored(order), call);
    assertLaunch(launch, order.machine_count);
    return stored(launch);
  }

  /** Sends an order that must succeed. What was certainly not done is sent again, as the broker does. */
  async launch(order: Order, session?: unknown): Promise<Attempt> {
    return this.begun(order, valueOf('launch', await this.untilFinal(() => this.send(order, session))));
  }

  /**
   * Sends an order again that was sent before. A provider that has not made up its mind yet may be asked once more.
   */
  async again(order: Order, session?: unknown): Promise<Attempt> {
    const open = (outcome: Outcome<unknown>) => outcome.kind === 'fault' && outcome.fault.kind === 'unknown-outcome';
    const outcome = await this.until(
      () => outcomeOf(() => this.send(order, session)),
      (each) => isFinal(each) && !open(each),
    );
    return this.begun(order, valueOf('launch, said again,', outcome));
  }

  /** Orders and launches. */
  async start(options: OrderOptions = {}): Promise<Attempt> {
    return this.launch(valueOf('prepare', await this.untilFinal(() => this.order(options))));
  }

  /** Remembers what a launch gave. */
  begun(order: Order, launch: Launch): Attempt {
    const attempt = launched(order, launch);
    this.attempts.push(attempt);
    return attempt;
  }

  /** Another broker's knowledge of the same attempt: its handle, and nothing of its machines. */
  afresh({ order, handle }: Attempt): Attempt {
    return launched(stored(order), { handle: stored(handle), settled: false });
  }

  /** One call of `observe` for these attempts, taken in by them. A fault of one is its entry. */
  async observe(
    attempts: readonly Attempt[],
    session?: unknown,
    steady = false,
  ): Promise<readonly (Observation | ProviderFault)[]> {
    const on = session ?? (await this.session());
    const watched = attempts.map((attempt) => ({
      handle: stored(attempt.handle),
      order: stored(attempt.order),
      known: knownOf(attempt),
      ...(steady ? { steady } : {}),
    }));
    const answer = await delivered('observe', () => this.subject.api.observe(on, watched, this.call()));
    assertObservations(answer, attempts.length);
    return answer.map((entry, index) => {
      if (isFault(entry)) return entry;
      const seen = stored(entry) as Observation;
      apply(attempts[index] as Attempt, seen);
      return seen;
    });
  }

  /** One look at one attempt; a fault fails the check. */
  async look(attempt: Attempt, session?: unknown): Promise<Observation> {
    const [seen] = await this.observe([attempt], session);
    assert.ok(
      !isFault(seen),
      `observe must show an attempt that was launched, and gave the fault '${(seen as ProviderFault)?.kind}': ${(seen as ProviderFault)?.message}`,
    );
    return seen as Observation;
  }

  /** Reads, and moves the world on, until the value is enough or `patience_ms` is over; returns what was read last. */
  async until<T>(read: () => Promise<T>, enough: (value: T) => boolean): Promise<T> {
    const { settle, patience_ms = 10_000 } = this.subject.kit;
    // A world that is moved on by steps has so many; where time passes by itself it is time that counts.
    const end = settle ? 0 : performance.now() + patience_ms;
    for (let round = 0; ; round += 1) {
      const value = await read();
      if (enough(value) || (round >= mostRounds && performance.now() > end)) return value;
      await this.pass(Math.min(250, 20 + round * 10));
    }
  }

  /** Makes a call again as long as it is put off; how it ended. */
  untilFinal<T>(call: () => Promise<T>): Promise<Outcome<T>> {
    return this.until(() => outcomeOf(call), isFinal);
  }

  /** Time passes in the world. */
  async pass(ms = 50): Promise<void> {
    const { settle } = this.subject.kit;
    if (settle) await settle(this.world);
    else await after(ms);
  }

  /** As long as what was on its way needs to arrive. */
  async quiet(): Promise<void> {
    for (let round = 0; round < 5; round += 1) {
      await this.pass(40);
      await after(2);
    }
  }

  /** Waits until an attempt has all its machines and they are ready; the ids. */
  async up(attempt: Attempt, session?: unknown): Promise<string[]> {
    const wanted = attempt.order.machine_count;
    const ready = () => attempt.alive.filter((id) => attempt.machines.get(id)?.ready);
    await this.until(
      () => this.look(attempt, session),
      () => attempt.settled && attempt.alive.length === wanted && ready().length === wanted,
    );
    const states = [...attempt.machines.values()].map(
      ({ machine_id, status, ready: usable }) => `${machine_id} ${status}${usable ? ' ready' : ''}`,
    );
    const short = attempt.shortfall.map(({ message }) => message);
    assert.ok(
      attempt.settled && attempt.alive.length === wanted && ready().length === wanted,
      `An order of ${wanted} must end with ${wanted} machines that are ready, and settled: true. Seen: settled: ${attempt.settled}; machines: ${states.join(', ') || 'none'}${short.length > 0 ? `; shortfall: ${short.join('; ')}` : ''}.`,
    );
    return [...attempt.alive].toSorted();
  }

  /** References of machines of an attempt; all that are not gone where none are named. */
  refs(attempt: Attempt, ids?: readonly string[]): MachineRef[] {
    return ids
      ? [...attempt.machines.values()].filter(({ machine_id }) => ids.includes(machine_id)).map(refOf)
      : knownOf(attempt);
  }

  /** Says an aim until it is done. */
  async release(attempt: Attempt, aim: ReleaseTarget, session?: unknown): Promise<void> {
    const on = session ?? (await this.session());
    const { api } = this.subject;
    await this.#done('release', () => api.release(on, stored(attempt.handle), stored(aim), this.call()));
  }

  /** Gives machines back: those of `ids`, or all; the others stay, and nothing more may come. */
  async giveBack(attempt: Attempt, ids?: readonly string[], session?: unknown): Promise<void> {
    const go = this.refs(attempt, ids);
    const stay = this.refs(attempt, attempt.alive).filter(
      ({ machine_id }) => !go.some((each) => each.machine_id === machine_id),
    );
    await this.release(attempt, { go, stay, to_come: 0 }, session);
  }

  async dispose(order: Order, handle?: object): Promise<void> {
    const { api } = this.subject;
    if (!api.dispose) return;
    const on = await this.session();
    await this.#done('dispose', async () =>
      api.dispose?.(on, { order: stored(order), ...(handle ? { handle: stored(handle) } : {}) }, this.call()),
    );
  }

  /** Machines that live: as the world says, else as the plugin does of the attempts that are known. */
  async living(): Promise<string[]> {
    const { living } = this.subject.kit;
    if (living) return [...(await living.call(this.subject.kit, this.world))].toSorted();
    if (this.attempts.length > 0) await this.observe(this.attempts);
    return [...new Set(this.attempts.flatMap(({ alive }) => alive))].toSorted();
  }

  /** Waits until exactly as many live as `wanted` says, and some time more; the ids. */
  async livingAfter(wanted: number): Promise<string[]> {
    await this.until(
      () => this.living(),
      (ids) => ids.length === wanted,
    );
    await this.quiet();
    return this.living();
  }

  /** Repeats what is to be said again until it is done. What can be tried again is; anything else fails the check. */
  async #done(
    verb: string,
    say: () => Promise<{ readonly done: boolean; readonly again_ms?: number } | undefined>,
  ): Promise<void> {
    let last = '';
    await this.until(
      async () => {
        try {
          const progress = await say();
          assert.ok(typeof progress?.done === 'boolean', `${verb} must give {done}, and gave ${shown(progress)}.`);
          last = progress.done ? '' : 'done: false';
        } catch (error) {
          if (!isFault(error) || (error.kind !== 'unavailable' && error.kind !== 'throttled'))
            await delivered(verb, () => Promise.reject(error));
          last = (error as Error).message;
        }
      },
      () => last === '',
    );
    assert.ok(last === '', `${verb} must come to its end: what is gone already is a success. It still said: ${last}.`);
  }

  get #log(): Log {
    const line = (fields: object, message: string) => void this.lines.push(`${message} ${shown(fields)}`);
    return { debug: line, info: line, warn: line, error: line };
  }

  /** Gives back what is left, where nobody else ends the world, and closes all sessions. */
  async #end(): Promise<void> {
    const { type, kit } = this.subject;
    if (!kit.close) {
      for (const attempt of this.attempts) {
        await this.look(attempt)
          .then(() => this.giveBack(attempt))
          .catch(() => undefined);
        await this.dispose(attempt.order, attempt.handle).catch(() => undefined);
      }
      for (const order of this.#prepared) await this.dispose(order).catch(() => undefined);
    }
    // Whether it may be closed twice is a check of its own.
    for (const session of this.#sessions)
      await Promise.resolve(session)
        .then((each) => type.close?.(each))
        .catch(() => undefined);
  }
}
