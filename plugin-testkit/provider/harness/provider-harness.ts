import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  isFault,
  type ReleaseTarget,
  type Call,
  type Launch,
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
import type { Subject } from '../subject.ts';
import { KitSessions } from './kit-sessions.ts';
import { isFinal, WorldTime } from './world-time.ts';

const callMs = 30_000;
/** Drives a plugin in a world as the broker does: all stored data passes through JSON. */
export class ProviderHarness<World extends ProviderWorld = any> {
  readonly subject: Subject<World>;
  readonly world: World;
  readonly time: WorldTime<World>;
  readonly installation = `kit${randomUUID().replaceAll('-', '')}`;
  readonly config: Readonly<Record<string, unknown>>;
  readonly template: Template;
  readonly attempts: Attempt[] = [];
  readonly #sessions: KitSessions<World>;
  readonly #prepared: Order[] = [];
  #first: Promise<unknown> | undefined;
  #closed = false;

  private constructor(subject: Subject<World>, world: World, ending: Ending) {
    this.subject = subject;
    this.world = world;
    this.time = new WorldTime(subject.kit, world);
    this.#sessions = new KitSessions(subject, world);
    ending.defer(() => this.closeWorld());
    ending.defer(() => this.#end());
    this.config = readConfig(subject, world.config);
    this.template = readTemplate(subject, world.template ?? {});
  }

  /** Opens a world. Everything that is opened ends with the check. */
  static async open<W extends ProviderWorld>(subject: Subject<W>, ending: Ending): Promise<ProviderHarness<W>> {
    const world = await subject.kit.open();
    return new ProviderHarness(subject, world, ending);
  }

  /** Lines that the plugin wrote to its log. */
  get lines(): readonly string[] {
    return this.#sessions.lines;
  }

  /** Ends the world; a second call has no effect. */
  async closeWorld(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.subject.kit.close?.(this.world);
  }

  /** A call as the broker makes one, with a time-out of half a minute. */
  call(more: Partial<Call> = {}): Call {
    return { signal: AbortSignal.timeout(callMs), fence: () => undefined, log: this.#sessions.log, ...more };
  }

  /** A new session, as in another process or after a restart. */
  connect(installation: string = this.installation): Promise<any> {
    return this.#sessions.connect(this.config, installation);
  }

  /** The default session. */
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

  /** An order, prepared and stored before the first launch as the broker does it. */
  async order(options: OrderOptions = {}, session?: unknown): Promise<Order> {
    return this.prepare(this.draft(options), session);
  }

  async prepare(order: Order, session?: unknown): Promise<Order> {
    const { api } = this.subject;
    if (!api.prepare) return order;
    const on = session ?? (await this.session());
    const prepared: unknown = await api.prepare(on, stored(order), this.call());
    const unstorable = notJson(prepared, 'prepared');
    assert.ok(unstorable === undefined, `prepare: ${unstorable}. The result is stored as JSON before the launch.`);
    const made = { ...order, prepared: stored(prepared) };
    this.#prepared.push(made);
    return made;
  }

  /**
   * Sends an order, and returns the answer of the plugin as the broker would store it. Throws what the plugin throws.
   */
  async send(order: Order, session?: unknown, call = this.call()): Promise<Launch> {
    const on = session ?? (await this.session());
    const launch: Launch = await this.subject.api.launch(on, stored(order), call);
    assertLaunch(launch, order.machine_count);
    return stored(launch);
  }

  /** Sends an order that must succeed. As the broker does, it sends the order again after a retryable fault. */
  async launch(order: Order, session?: unknown, call?: Call): Promise<Attempt> {
    return this.begun(order, valueOf('launch', await this.time.untilFinal(() => this.send(order, session, call))));
  }

  /** Sends an order again that was sent before, until its outcome is known. */
  async again(order: Order, session?: unknown): Promise<Attempt> {
    const open = (outcome: Outcome<unknown>) => outcome.kind === 'fault' && outcome.fault.kind === 'unknown-outcome';
    const outcome = await this.time.until(
      () => outcomeOf(() => this.send(order, session)),
      (each) => isFinal(each) && !open(each),
    );
    return this.begun(order, valueOf('a repeated launch', outcome));
  }

  /** Prepares an order and launches it. */
  async start(options: OrderOptions = {}): Promise<Attempt> {
    return this.launch(valueOf('prepare', await this.time.untilFinal(() => this.order(options))));
  }

  /** Records the answer of a launch as an attempt. */
  begun(order: Order, launch: Launch): Attempt {
    const attempt = launched(order, launch);
    this.attempts.push(attempt);
    return attempt;
  }

  /** The attempt as another broker knows it: with its handle, without its machines. */
  afresh({ order, handle }: Attempt): Attempt {
    return launched(stored(order), { handle: stored(handle), settled: false });
  }

  /** Calls `observe` once for these attempts, and applies the observations. The fault of one attempt is its entry. */
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

  /** Observes one attempt; a fault fails the check. */
  async look(attempt: Attempt, session?: unknown): Promise<Observation> {
    const [seen] = await this.observe([attempt], session);
    assert.ok(
      !isFault(seen),
      `observe must show an attempt that was launched, but returned the fault '${(seen as ProviderFault)?.kind}': ${(seen as ProviderFault)?.message}`,
    );
    return seen as Observation;
  }

  /** Waits until all machines of an attempt are ready; returns their ids. */
  async up(attempt: Attempt, session?: unknown): Promise<string[]> {
    const wanted = attempt.order.machine_count;
    const ready = () => attempt.alive.filter((id) => attempt.machines.get(id)?.ready);
    await this.time.until(
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

  /** References of the named machines of an attempt; default: of all that are not gone. */
  refs(attempt: Attempt, ids?: readonly string[]): MachineRef[] {
    return ids
      ? [...attempt.machines.values()].filter(({ machine_id }) => ids.includes(machine_id)).map(refOf)
      : knownOf(attempt);
  }

  /** Repeats a release until it is done. */
  async release(attempt: Attempt, aim: ReleaseTarget, session?: unknown): Promise<void> {
    const on = session ?? (await this.session());
    const { api } = this.subject;
    await this.time.untilDone('release', () => api.release(on, stored(attempt.handle), stored(aim), this.call()));
  }

  /** Releases the machines of `ids`, or all. The others stay, and no more may arrive. */
  async releaseMachines(attempt: Attempt, ids?: readonly string[], session?: unknown): Promise<void> {
    const go = this.refs(attempt, ids);
    const stay = this.refs(attempt, attempt.alive).filter(
      ({ machine_id }) => !go.some((each) => each.machine_id === machine_id),
    );
    await this.release(attempt, { go, stay, incoming: 0 }, session);
  }

  async dispose(order: Order, handle?: object): Promise<void> {
    const { api } = this.subject;
    if (!api.dispose) return;
    const on = await this.session();
    await this.time.untilDone('dispose', async () =>
      api.dispose?.(on, { order: stored(order), ...(handle ? { handle: stored(handle) } : {}) }, this.call()),
    );
  }

  /** Ids of the live machines: from the world, or else from observations of the known attempts. */
  async living(): Promise<string[]> {
    const { living } = this.subject.kit;
    if (living) return [...(await living.call(this.subject.kit, this.world))].toSorted();
    if (this.attempts.length > 0) await this.observe(this.attempts);
    return [...new Set(this.attempts.flatMap(({ alive }) => alive))].toSorted();
  }

  /** Waits until `wanted` machines live, and for possible late arrivals; returns the ids. */
  async livingAfter(wanted: number): Promise<string[]> {
    await this.time.until(
      () => this.living(),
      (ids) => ids.length === wanted,
    );
    await this.time.quiet();
    return this.living();
  }

  /** Releases the remaining machines if the kit has no `close`, and closes all sessions. */
  async #end(): Promise<void> {
    const { kit } = this.subject;
    if (!kit.close) {
      for (const attempt of this.attempts) {
        await this.look(attempt)
          .then(() => this.releaseMachines(attempt))
          .catch(() => undefined);
        await this.dispose(attempt.order, attempt.handle).catch(() => undefined);
      }
      for (const order of this.#prepared) await this.dispose(order).catch(() => undefined);
    }
    await this.#sessions.close();
  }
}
