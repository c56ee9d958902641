import { chunks } from '../../../collections/chunks.ts';
import { isFault } from '../../../contract/fault.ts';
import type { NoticeMessage } from '../../../contract/notice.ts';
import type { ProviderInstance } from '../../../model/provider-instance.ts';
import { errorText } from '../../../providers/answer-checks/thrown-error.ts';
import type { GuardedNotices } from '../../../providers/guard/guarded-notices.ts';
import type { ProviderMeter } from '../../../providers/guard/meter/provider-meter.ts';
import type { Connected } from '../../../providers/guard/session-pool.ts';
import { noticesTopic } from '../../../providers/facts.ts';
import type { BackgroundParts } from '../background-parts.ts';
import { Job } from '../job.ts';
import { LatestChanges } from './latest-changes.ts';
import { noticedSignals } from './noticed-signals.ts';
import { UnconfirmedStates } from './unconfirmed-states.ts';

/** The time after which a job that another broker has is asked for again. */
const otherMs = 5_000;
const firstPauseMs = 5_000;
const longestPauseMs = 60_000;
/** Notices count as arriving for so long after a successful reception. */
const worksMs = 90_000;
/** The longest time between a change of a machine and the notice about it. */
const announcedMs = 60_000;
/** The shortest time between two notes for another process that notices of its instance arrive here. */
const toldMs = 30_000;
/** The item of the fact with such a note. */
const heardElsewhere = 'heard elsewhere';
/** The shortest time between two receptions that bring nothing new. */
const emptyMs = 1_000;
/**
 * The shortest pause after a reception that brings something; as long as its work took, where that is longer. A source
 * that answers at once, again and again, must not take the time of everything else.
 */
const fullMs = 20;
/** The shortest time between two warnings about malformed messages of an instance. */
const warningMs = 60_000;
const rowsAtOnce = 200;
const acknowledgedAtOnce = 4;

export interface ReceptionParts extends BackgroundParts {
  readonly meter: ProviderMeter;
}

/** The reception at one instance. */
interface Receiver {
  readonly name: string;
  readonly job: Job;
  running?: Promise<void>;
  /** Monotonic milliseconds. */
  not_before: number;
  pause: number;
  readonly acknowledging: Set<Promise<void>>;
  /** Why messages could not be acknowledged, as it was logged. */
  kept?: string;
  /** The failure that was logged. */
  failure?: string;
  /** Monotonic milliseconds: when the evidence that notices arrive was last judged. */
  judged: number;
  /** Whether the stored fact says that notices arrive. */
  noted: boolean;
  /** Since when every message was received here, in epoch milliseconds. */
  since?: number;
  /** When the last notice came about a state that a machine of the instance has, in epoch milliseconds. */
  heard?: number;
  /** Monotonic milliseconds: when another process was last told about `heard`. */
  told?: number;
  /** Monotonic milliseconds of the last warning about a malformed message. */
  warned: number;
  /** A machine changed without a notice, and this was logged. */
  silent?: boolean;
}

/** The value of the fact that notices arrive. */
interface Arriving {
  /** The cloud of the instance. */
  readonly identity: string;
  /** As in a receiver. */
  readonly heard: number;
}

/**
 * Receives the notices of all instances that have some. One broker on a store receives those of an instance at a
 * time. A notice becomes a signal for the request of its machine, which its holder applies; a message
 * is acknowledged when its signals are stored, so that a crash in between only repeats it. An instance whose notices
 * do not arrive is observed as one without notices, and is tried again with growing waits. A source that answers may
 * still lack the notices of the instance: they count as arriving only after a notice about a state that one of its
 * machines has, and no longer when a machine starts or ends without one.
 */
export class NoticeReception implements Disposable {
  readonly #parts: ReceptionParts;
  readonly #receivers = new Map<string, Receiver>();
  readonly #unconfirmed = new UnconfirmedStates();
  readonly #changes: LatestChanges;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  /** Dormant instances are used when they have machines; asked once. */
  #woken: Promise<void> | undefined;

  constructor(parts: ReceptionParts) {
    this.#parts = parts;
    this.#changes = new LatestChanges(parts.store);
    this.#signal = AbortSignal.any([parts.signal, this.#ended.signal]);
  }

  /** Starts the receptions that are due. Does not wait for them. */
  begin(instances: readonly ProviderInstance[]): void {
    const { pool, clock } = this.#parts;
    if (this.#signal.aborted) return;
    const noticed = instances.filter(({ name }) => pool.hasNotices(name));
    if (noticed.length === 0) return;
    this.#woken ??= this.#wake(noticed);
    for (const { name, enabled } of noticed) {
      // A disabled instance may still have machines.
      const follows = pool.used(name) !== undefined || (enabled && !pool.isDormant(name));
      const receiver = this.#receiver(name);
      if (!follows || receiver.running || clock.monotonic() < receiver.not_before || pool.quarantined(name)) continue;
      receiver.running = this.#receive(receiver, instances).finally(() => delete receiver.running);
    }
  }

  /** Resolves when no reception is running, and frees the jobs. */
  async idle(): Promise<void> {
    await this.#woken;
    const receivers = [...this.#receivers.values()];
    await Promise.all(receivers.flatMap(({ running, acknowledging }) => [running, ...acknowledging]));
    await Promise.all(receivers.map(({ job }) => job.free()));
  }

  /** Ends the receptions. Messages that are not acknowledged come again. */
  [Symbol.dispose](): void {
    this.#ended.abort();
  }

  #receiver(name: string): Receiver {
    let receiver = this.#receivers.get(name);
    if (!receiver) {
      const job = new Job(`notices of '${name}'`, this.#parts);
      receiver = {
        name,
        job,
        acknowledging: new Set(),
        not_before: -Infinity,
        pause: 0,
        judged: -Infinity,
        warned: -Infinity,
        noted: false,
      };
      this.#receivers.set(name, receiver);
    }
    return receiver;
  }

  /** After a restart, machines at rest are observed minutes later, but their notices may come now. */
  async #wake(instances: readonly ProviderInstance[]): Promise<void> {
    const { pool, store } = this.#parts;
    for (const { name: provider_instance } of instances) {
      try {
        if (!pool.isDormant(provider_instance)) continue;
        const alive = await store.count('machine', { provider_instance, gone_at: null });
        if (alive > 0) await pool.connect(provider_instance);
      } catch {
        // The requests of the machines connect later, too.
      }
    }
  }

  async #receive(receiver: Receiver, instances: readonly ProviderInstance[]): Promise<void> {
    const { pool, clock } = this.#parts;
    const { name, job } = receiver;
    try {
      while (!this.#signal.aborted) {
        if (!(await job.take())) {
          receiver.not_before = clock.monotonic() + otherMs;
          delete receiver.since;
          return;
        }
        const connected = await pool.connect(name);
        const { notices } = connected.type;
        if (!notices) return;
        const began = clock.monotonic();
        const messages = await notices.receive({ signal: this.#signal });
        const received = clock.monotonic();
        const receipts = await this.#store(connected, messages, instances);
        if (receipts.length > 0) await this.#acknowledge(receiver, notices, receipts);
        await this.#works(receiver, connected);
        const now = clock.monotonic();
        if (receipts.length > 0) await clock.sleep(Math.max(fullMs, now - received), this.#signal);
        else if (now - began < emptyMs) await clock.sleep(emptyMs, this.#signal);
      }
    } catch (error) {
      if (!this.#signal.aborted) await this.#failed(receiver, error);
    }
  }

  /**
   * Starts to acknowledge messages, and waits only while several earlier calls run: a removal that hangs must not
   * delay new notices.
   */
  async #acknowledge(receiver: Receiver, notices: GuardedNotices, receipts: readonly string[]): Promise<void> {
    const { log } = this.#parts;
    const { name, acknowledging } = receiver;
    while (acknowledging.size >= acknowledgedAtOnce) await Promise.race(acknowledging);
    const running = notices
      .acknowledge(receipts, { signal: this.#signal })
      .then(
        () => void delete receiver.kept,
        (error: unknown) => {
          const message = errorText(error);
          if (this.#signal.aborted || receiver.kept === message) return;
          receiver.kept = message;
          log.warn(
            { provider_instance: name },
            `Notices about machines of '${name}' are stored but cannot be removed, so they arrive again. ${message}`,
          );
        },
      )
      .finally(() => acknowledging.delete(running));
    acknowledging.add(running);
  }

  /** Stores the effect of messages. Returns the receipts to acknowledge. */
  async #store(
    { instance: { name }, identity }: Connected,
    messages: readonly NoticeMessage[],
    instances: readonly ProviderInstance[],
  ): Promise<readonly string[]> {
    const { store, clock, log, meter, pool } = this.#parts;
    if (messages.length === 0) return [];
    // Instances on the same cloud may share one source of notices.
    const names = instances.map((each) => each.name);
    const alike = new Set([name, ...names.filter((each) => pool.known(each)?.identity === identity)]);
    const unconnected = new Set(names.filter((each) => pool.known(each) === undefined));
    const { signals, receipts, counts, heard, unconfirmed } = await noticedSignals(
      messages,
      { alike, unconnected },
      store,
      clock.now(),
    );
    for (const part of chunks(signals, rowsAtOnce)) await store.commit(part);
    for (const each of heard) await this.#hear(each, clock.now());
    this.#unconfirmed.add(unconfirmed, clock.now());
    for (const { kind, outcome } of counts) meter.notices(name, kind, outcome, 1);
    const [broken] = messages.flatMap(({ malformed }) => malformed ?? []);
    const receiver = this.#receiver(name);
    if (broken !== undefined && clock.monotonic() - receiver.warned >= warningMs) {
      receiver.warned = clock.monotonic();
      log.warn({ provider_instance: name }, `A message about machines of '${name}' was removed unread: ${broken}`);
    }
    return receipts;
  }

  /** Stores for all processes whether notices arrive, after a successful reception. */
  async #works(receiver: Receiver, { identity }: Connected): Promise<void> {
    const { clock, facts, log } = this.#parts;
    const { name } = receiver;
    const at = clock.now();
    receiver.pause = 0;
    receiver.since ??= at;
    if (receiver.failure !== undefined) {
      delete receiver.failure;
      log.info({ provider_instance: name }, `Notices about machines of '${name}' arrive again.`);
    }
    for (const found of await this.#unconfirmed.confirmed(this.#parts.store, at))
      await this.#hear(found.instance, found.at);
    const elsewhere = facts.get(noticesTopic, name, heardElsewhere)?.value as Arriving | undefined;
    if (elsewhere?.identity === identity && elsewhere.heard > (receiver.heard ?? -Infinity))
      receiver.heard = elsewhere.heard;
    const isFirst = receiver.heard !== undefined && !receiver.noted;
    if (!isFirst && clock.monotonic() - receiver.judged < worksMs / 3) return;
    receiver.judged = clock.monotonic();
    // The process that received before, or this one before a restart, has the evidence.
    const stored = facts.get(noticesTopic, name)?.value as Partial<Arriving> | undefined;
    if (receiver.heard === undefined && stored?.heard !== undefined && stored.identity === identity)
      receiver.heard = stored.heard;
    await this.#compare(receiver, receiver.since, at);
    const { heard } = receiver;
    if (heard === undefined) return this.#withdraw(receiver);
    delete receiver.silent;
    const value: Arriving = { identity, heard };
    await facts.learn([{ topic: noticesTopic, name, item: '', value, at, until: at + worksMs }]);
    receiver.noted = true;
  }

  /**
   * Notes a notice about a state that a machine of an instance has. If another process receives for the instance, it
   * reads this from the store.
   */
  async #hear(name: string, heard: number): Promise<void> {
    const { pool, facts, clock, log } = this.#parts;
    const receiver = this.#receiver(name);
    // After the clock was set back, a time in the future is no evidence.
    receiver.heard = Math.max(Math.min(receiver.heard ?? -Infinity, clock.now()), heard);
    const isHere = receiver.since !== undefined;
    const identity = pool.known(name)?.identity;
    if (isHere || identity === undefined || !pool.hasNotices(name)) return;
    if (clock.monotonic() - (receiver.told ?? -Infinity) < toldMs) return;
    receiver.told = clock.monotonic();
    const at = clock.now();
    const value: Arriving = { identity, heard: receiver.heard };
    await facts
      .learn([{ topic: noticesTopic, name, item: heardElsewhere, value, at, until: at + worksMs }])
      .catch((err: unknown) => log.debug({ provider_instance: name, err }, 'A notice could not be noted.'));
  }

  /** A machine that started or ended without a notice shows that notices do not arrive. */
  async #compare(receiver: Receiver, since: number, now: number): Promise<void> {
    const { log, settings } = this.#parts;
    const { name, heard = -Infinity } = receiver;
    const changed = await this.#changes.at(name, since, now - announcedMs);
    if (changed === undefined || heard >= changed - announcedMs) return;
    delete receiver.heard;
    if (receiver.silent) return;
    receiver.silent = true;
    log.warn(
      { provider_instance: name },
      `A machine of '${name}' started or ended without a notice, so machines of '${name}' at rest are observed every ${settings.observe_resting_ms / 1000} s. Check that the cloud still sends its changes of state to the source of notices.`,
    );
  }

  /** Stores for all processes that notices do not arrive. */
  async #withdraw(receiver: Receiver): Promise<void> {
    const { clock, facts } = this.#parts;
    const { name } = receiver;
    if (!receiver.noted) return;
    receiver.noted = false;
    const at = clock.now();
    // A fact that cannot be stored ends by itself.
    await facts.learn([{ topic: noticesTopic, name, item: '', value: {}, at, until: at }]).catch(() => undefined);
  }

  async #failed(receiver: Receiver, error: unknown): Promise<void> {
    const { clock, log, settings } = this.#parts;
    const { name } = receiver;
    receiver.pause = Math.min(longestPauseMs, receiver.pause === 0 ? firstPauseMs : receiver.pause * 2);
    receiver.not_before = clock.monotonic() + receiver.pause;
    const message = errorText(error);
    if (receiver.failure !== message) {
      receiver.failure = message;
      log.warn(
        { provider_instance: name, ...(isFault(error) ? { kind: error.kind, code: error.code } : { err: error }) },
        `Notices about machines of '${name}' do not arrive, so its machines at rest are observed every ${settings.observe_resting_ms / 1000} s; the reception is tried again. ${message}`,
      );
    }
    delete receiver.since;
    receiver.judged = -Infinity;
    await this.#withdraw(receiver);
  }
}
