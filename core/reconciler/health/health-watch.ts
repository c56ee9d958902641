import type { Clock } from '../../contract/clock.ts';
import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { Log } from '../../contract/log.ts';
import type { Checked, Health } from '../../model/health.ts';
import type { ProviderInstance } from '../../model/provider-instance.ts';
import type { Facts } from '../../providers/facts.ts';
import type { CallEnd } from '../../providers/guard/guard.ts';
import { errorText } from '../../providers/answer-checks/thrown-error.ts';
import type { CallEvidence } from '../../providers/guard/guarded-calls.ts';
import type { SessionPool } from '../../providers/guard/session-pool.ts';
import type { Verb } from '../../providers/guard/time-outs.ts';
import { CheckTimes, shortestMs } from './check-times.ts';
import { Breaches } from './breaches.ts';
import { Troubles } from './troubles.ts';

/** An instance without an answer for this time is unhealthy. */
const silenceMs = 30_000;
/** The shortest interval between commits of `answered_at`. */
const storedEveryMs = 60_000;
/** The time after which health is stored again although it did not change: what is stored expires. */
const storedAgainMs = 6 * 3_600_000;
/** Verbs that may succeed without a call to the provider, so their success proves nothing. */
const answeredAtHome: ReadonlySet<string> = new Set<Verb>(['connect', 'prepare']);

interface Watched {
  health: Health;
  readonly troubles: Troubles;
  readonly times: CheckTimes;
  /** The templates with which the plugin broke its contract, and with which the provider refused the credentials. */
  readonly breaches: Breaches;
  readonly refusals: Breaches;
  /** Monotonic milliseconds: the last answer in this process. */
  answered?: number;
  /** Monotonic milliseconds: the last commit of the health. */
  stored: number;
  /** The stored health is out of date. */
  unstored: boolean;
  asking?: Promise<Checked>;
}

export interface HealthWatchOptions {
  /** The delay of the first checks in milliseconds. */
  readonly firstMs?: number;
  /** Called when an instance that was healthy, or of unknown health, is unhealthy now. Must not throw. */
  readonly turnedUnhealthy?: ((instance: string) => void) | undefined;
}

/**
 * Determines the health of the instances. The end of each call is evidence. An instance without evidence is checked:
 * at the start, after two minutes without an answer, and less often the longer it is unhealthy. An instance is
 * unhealthy when its credentials are refused, when it has not answered for 30 s, and when its plugin breaks its
 * contract in a verb, until that verb succeeds. If the verb is not called meanwhile, a successful check clears the
 * breach as a recovery chance; the wait for the next chance grows with each one that fails. A breach in a call for a
 * request counts against that request first; see `Breaches`.
 */
export class HealthWatch implements CallEvidence {
  readonly #facts: Facts;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #watched = new Map<string, Watched>();
  readonly #first_at: number;
  readonly #turnedUnhealthy: HealthWatchOptions['turnedUnhealthy'];

  constructor(facts: Facts, clock: Clock, log: Log, { firstMs = 0, turnedUnhealthy }: HealthWatchOptions = {}) {
    this.#facts = facts;
    this.#clock = clock;
    this.#log = log;
    this.#first_at = clock.monotonic() + firstMs;
    this.#turnedUnhealthy = turnedUnhealthy;
  }

  ended(instance: string, verb: Verb, { ms, fault, misbehaved, aborted, of, unsure }: CallEnd): void {
    if (aborted || unsure || verb === 'close') return;
    const watched = this.#of(instance);
    // An unanswered call shows silence since its start, unless another call was answered meanwhile.
    const since = Math.max(this.#clock.monotonic() - ms, watched.answered ?? -Infinity);
    if (misbehaved && fault) {
      const late = fault.code === 'TIMEOUT';
      if (!of) return this.#trouble(instance, verb, fault.message, late ? since : -Infinity);
      // A check shows whether the instance itself does not answer.
      if (late) return this.#trouble(instance, 'silence', fault.message, since);
      if (watched.breaches.countsAgainstInstance(verb, of)) this.#trouble(instance, verb, fault.message);
      return;
    }
    watched.troubles.end(verb);
    if (fault?.kind === 'credentials' && of && !watched.refusals.countsAgainstInstance(verb, of)) {
      // The order may name a resource for which the instance has no permission. A check shows whether the credentials
      // are accepted at all.
      watched.times.troubled();
      return;
    }
    watched.breaches.over(verb);
    if (!fault) watched.refusals.over(verb);
    if (fault?.kind === 'credentials') this.#trouble(instance, 'credentials', fault.message);
    else if (fault?.kind === 'unavailable' || fault?.kind === 'unknown-outcome')
      this.#trouble(instance, 'silence', fault.message, since);
    else if (fault || !answeredAtHome.has(verb)) this.#answered(instance);
    else this.#judge(instance);
  }

  /** Reports a failure that no answer clears: it counts immediately, until `cured` or a recovery chance. */
  misbehaved(instance: string, about: string, message: string): void {
    this.#trouble(instance, about, message);
  }

  cured(instance: string, about: string): void {
    if (this.#watched.get(instance)?.troubles.end(about)) this.#judge(instance);
  }

  /** Whether the instance does not answer this broker. */
  isUnhealthy(instance: string): boolean {
    return this.#watched.get(instance)?.health.status === 'unhealthy';
  }

  /** Calls to the instance are paused for `ms`. */
  leftAlone(instance: string, message: string, ms: number): void {
    this.#trouble(instance, 'silence', message);
    this.#of(instance).times.leaveAlone(ms);
  }

  /** Updates the health of all instances and checks those that are due. */
  async check(instances: readonly ProviderInstance[], pool: SessionPool, signal: AbortSignal): Promise<void> {
    const due = instances.filter(({ name, enabled }) => {
      const watched = this.#of(name);
      this.#judge(name);
      const isOld = watched.stored > -Infinity && this.#clock.monotonic() - watched.stored >= storedAgainMs;
      if (watched.unstored || isOld) void this.#save(name, watched);
      return enabled && !watched.asking && watched.times.due && !pool.isDormant(name);
    });
    await Promise.all(due.map(({ name }) => this.ask(name, pool, signal)));
  }

  /** Checks an instance now. Concurrent calls share one check. Never rejects. */
  ask(name: string, pool: SessionPool, signal: AbortSignal): Promise<Checked> {
    const watched = this.#of(name);
    return (watched.asking ??= this.#ask(name, watched, pool, signal).finally(() => delete watched.asking));
  }

  /** As `ask`, but resolves after `ms` at the latest. Starts the endpoint of a dormant instance. */
  async askNow(name: string, pool: SessionPool, signal: AbortSignal, ms: number): Promise<Checked> {
    const over = new AbortController();
    const late = async (): Promise<Checked> => {
      await this.#clock.sleep(ms, over.signal);
      const fault = {
        kind: 'unavailable' as const,
        code: 'TIMEOUT',
        message: `'${name}' did not answer within ${ms / 1000} s.`,
      };
      return { ...this.#of(name).health, checked_at: this.#clock.now(), fault };
    };
    try {
      if (pool.isDormant(name)) pool.connect(name).catch(() => undefined);
      return await Promise.race([this.ask(name, pool, signal), late()]);
    } finally {
      over.abort();
    }
  }

  /** Resolves when no check is running. */
  async idle(): Promise<void> {
    await Promise.all([...this.#watched.values()].map(({ asking }) => asking));
  }

  async #ask(name: string, watched: Watched, pool: SessionPool, signal: AbortSignal): Promise<Checked> {
    const began = watched.times.begin();
    try {
      await (await pool.connectForCheck(name)).type.check({ signal });
      if (watched.troubles.broken && watched.times.isChance(began)) {
        watched.times.gaveChance();
        watched.troubles.clear();
      }
      this.#answered(name);
      return { ...watched.health, checked_at: this.#clock.now() };
    } catch (error) {
      const { kind, code, message, retry_after_ms } = isFault(error)
        ? error
        : new ProviderFault('unavailable', errorText(error));
      if (code === 'QUARANTINED') watched.times.leaveAlone(retry_after_ms ?? shortestMs);
      return { ...watched.health, checked_at: this.#clock.now(), fault: { kind, code, message } };
    }
  }

  #of(name: string): Watched {
    let watched = this.#watched.get(name);
    if (!watched) {
      const times = new CheckTimes(this.#clock, this.#first_at);
      watched = {
        health: this.#facts.ownHealth(name),
        troubles: new Troubles(),
        times,
        breaches: new Breaches(),
        refusals: new Breaches(),
        stored: -Infinity,
        unstored: false,
      };
      this.#watched.set(name, watched);
    }
    return watched;
  }

  #answered(name: string): void {
    const watched = this.#of(name);
    watched.troubles.answered();
    if (watched.troubles.none) watched.times.well();
    watched.answered = this.#clock.monotonic();
    watched.health = { ...watched.health, answered_at: this.#clock.now() };
    this.#judge(name);
    if (watched.answered - watched.stored >= storedEveryMs) void this.#save(name, watched);
  }

  #trouble(name: string, about: string, message: string, since = -Infinity): void {
    const { troubles, times } = this.#of(name);
    const broken = troubles.broken;
    troubles.add(about, { since, message });
    times.troubled();
    if (!broken && troubles.broken) times.broken();
    this.#judge(name);
  }

  #judge(name: string): void {
    const watched = this.#of(name);
    const { health, troubles } = watched;
    const now = this.#clock.monotonic();
    const lasting = troubles.lasting(silenceMs, now);
    if (lasting) this.#unhealthy(name, watched, lasting.message, now);
    else if (troubles.none && watched.answered !== undefined && health.status !== 'healthy') {
      const { message: _, ...rest } = health;
      if (health.status === 'unhealthy')
        this.#log.info({ provider_instance: name }, 'The provider instance answers again.');
      watched.health = { ...rest, status: 'healthy' };
      void this.#save(name, watched);
    }
  }

  #unhealthy(name: string, watched: Watched, message: string, now: number): void {
    const { health } = watched;
    watched.times.unhealthy();
    const isStored = health.status === 'unhealthy' && watched.stored > -Infinity;
    if (isStored && (health.message === message || now - watched.stored < storedEveryMs)) return;
    this.#log.warn({ provider_instance: name }, `The provider instance is unhealthy: ${message}`);
    watched.health = { ...health, status: 'unhealthy', message };
    const saved = this.#save(name, watched);
    // Those who are told find the health stored.
    if (health.status !== 'unhealthy') void saved.then(() => this.#turnedUnhealthy?.(name));
  }

  /** Stores the health. Never rejects. */
  async #save(name: string, watched: Watched): Promise<void> {
    watched.stored = this.#clock.monotonic();
    watched.unstored = false;
    try {
      await this.#facts.learnHealth(name, watched.health);
    } catch (error) {
      if (!watched.unstored)
        this.#log.warn({ err: error }, 'The health of an instance could not be stored; it will be retried.');
      watched.unstored = true;
    }
  }
}
