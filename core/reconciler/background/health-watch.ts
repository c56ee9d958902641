import type { Clock } from '../../contract/clock.ts';
import { isFault, ProviderFault } from '../../contract/fault.ts';
import type { Log } from '../../contract/log.ts';
import type { Checked, Health } from '../../model/health.ts';
import type { ProviderInstance } from '../../model/provider-instance.ts';
import type { Facts } from '../../providers/facts.ts';
import { errorText, type CallEnd } from '../../providers/guard/guard.ts';
import type { CallEvidence } from '../../providers/guard/guarded-calls.ts';
import type { SessionPool } from '../../providers/guard/session-pool.ts';
import type { Verb } from '../../providers/guard/time-outs.ts';
import { AskTimes, shortestMs } from '../execute/ask-times.ts';
import { Breaches } from '../execute/faults/breaches.ts';
import { Troubles } from '../execute/faults/troubles.ts';

/** An instance that has not answered for so long is unhealthy. */
const silenceMs = 30_000;
/** That it goes on answering is stored no more often. */
const storedEveryMs = 60_000;
/** These may be answered from memory: that they went well says nothing of the provider. */
const answeredAtHome: ReadonlySet<string> = new Set<Verb>(['connect', 'prepare']);

interface Watched {
  health: Health;
  readonly troubles: Troubles;
  readonly times: AskTimes;
  /** Templates with which its plugin broke its contract, and with which it might not act. */
  readonly breaches: Breaches;
  readonly refusals: Breaches;
  /** Monotonic: the last answer in this process. */
  answered?: number;
  /** Monotonic: when its health was last stored. */
  stored: number;
  /** What is stored is not what is known. */
  unstored: boolean;
  asking?: Promise<Checked>;
}

/**
 * Keeps what is known of the instances' health. How each call ends is evidence; an instance of which there is none is
 * asked: at the start, after two minutes without an answer, and ever less often while it is unhealthy. It is
 * unhealthy when it may not act at all, when it has not answered for 30 s, and when its plugin breaks its contract in
 * some verb, until that verb is answered well; when nothing calls it meanwhile, a check that succeeds gives it
 * another chance, the later the more often that was for nothing. What breaks in a call for a request is charged to
 * that request first: see `Breaches`.
 */
export class HealthWatch implements CallEvidence {
  readonly #facts: Facts;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #watched = new Map<string, Watched>();
  readonly #first_at: number;

  /** `firstMs`: how long after now the instances are asked for the first time. */
  constructor(facts: Facts, clock: Clock, log: Log, firstMs = 0) {
    this.#facts = facts;
    this.#clock = clock;
    this.#log = log;
    this.#first_at = clock.monotonic() + firstMs;
  }

  ended(instance: string, verb: Verb, { ms, fault, misbehaved, aborted, of, unsure }: CallEnd): void {
    if (aborted || unsure || verb === 'close') return;
    const watched = this.#of(instance);
    // What has no answer yet had none since it began, unless another call was answered meanwhile.
    const since = Math.max(this.#clock.monotonic() - ms, watched.answered ?? -Infinity);
    if (misbehaved && fault) {
      const late = fault.code === 'TIMEOUT';
      if (!of) return this.#trouble(instance, verb, fault.message, late ? since : -Infinity);
      // A check says whether it is the instance that does not answer.
      if (late) return this.#trouble(instance, 'silence', fault.message, since);
      if (watched.breaches.isItsOwn(verb, of)) this.#trouble(instance, verb, fault.message);
      return;
    }
    watched.troubles.end(verb);
    if (fault?.kind === 'credentials' && of && !watched.refusals.isItsOwn(verb, of)) {
      // What one order names may be what the instance has no right to: a check says whether it may do anything.
      watched.times.troubled();
      return;
    }
    watched.breaches.over(verb);
    if (!fault) watched.refusals.over(verb);
    if (fault?.kind === 'credentials') this.#trouble(instance, 'credentials', fault.message);
    else if (fault?.kind === 'unavailable' || fault?.kind === 'unknown-outcome') this.#trouble(instance, 'silence', fault.message, since);
    else if (fault || !answeredAtHome.has(verb)) this.#answered(instance);
    else this.#judge(instance);
  }

  /** Its plugin did something that no answer makes good: it counts at once, and until `cured` or a chance. */
  misbehaved(instance: string, about: string, message: string): void {
    this.#trouble(instance, about, message);
  }

  cured(instance: string, about: string): void {
    if (this.#watched.get(instance)?.troubles.end(about)) this.#judge(instance);
  }

  /** Nothing of it is called for `ms`. */
  leftAlone(instance: string, message: string, ms: number): void {
    this.#trouble(instance, 'silence', message);
    this.#of(instance).times.leaveAlone(ms);
  }

  /** Asks the instances that are due, and says of those that have been silent for too long that they are. */
  async check(instances: readonly ProviderInstance[], pool: SessionPool, signal: AbortSignal): Promise<void> {
    const due = instances.filter(({ name, enabled }) => {
      const watched = this.#of(name);
      this.#judge(name);
      if (watched.unstored) this.#save(name, watched);
      return enabled && !watched.asking && watched.times.due && !pool.isDormant(name);
    });
    await Promise.all(due.map(({ name }) => this.ask(name, pool, signal)));
  }

  /** Asks an instance now. One that is being asked is not asked twice. Does not reject. */
  ask(name: string, pool: SessionPool, signal: AbortSignal): Promise<Checked> {
    const watched = this.#of(name);
    return (watched.asking ??= this.#ask(name, watched, pool, signal).finally(() => delete watched.asking));
  }

  /** As `ask`, for somebody who waits `ms` at most. What is to be started for it is. */
  async askNow(name: string, pool: SessionPool, signal: AbortSignal, ms: number): Promise<Checked> {
    const over = new AbortController();
    const late = async (): Promise<Checked> => {
      await this.#clock.sleep(ms, over.signal);
      const fault = { kind: 'unavailable' as const, code: 'TIMEOUT', message: `'${name}' did not answer within ${ms / 1000} s.` };
      return { ...this.#of(name).health, checked_at: this.#clock.now(), fault };
    };
    try {
      if (pool.isDormant(name)) pool.connect(name).catch(() => undefined);
      return await Promise.race([this.ask(name, pool, signal), late()]);
    } finally {
      over.abort();
    }
  }

  /** Resolves when nobody is being asked. */
  async idle(): Promise<void> {
    await Promise.all([...this.#watched.values()].map(({ asking }) => asking));
  }

  async #ask(name: string, watched: Watched, pool: SessionPool, signal: AbortSignal): Promise<Checked> {
    const mayCure = watched.times.begin();
    try {
      await (await pool.connectForCheck(name)).type.check({ signal });
      if (mayCure && watched.troubles.broken) {
        watched.times.gaveChance();
        watched.troubles.clear();
      }
      this.#answered(name);
      return { ...watched.health, checked_at: this.#clock.now() };
    } catch (error) {
      const { kind, code, message, retry_after_ms } = isFault(error) ? error : new ProviderFault('unavailable', errorText(error));
      if (code === 'QUARANTINED') watched.times.leaveAlone(retry_after_ms ?? shortestMs);
      return { ...watched.health, checked_at: this.#clock.now(), fault: { kind, code, message } };
    }
  }

  #of(name: string): Watched {
    let watched = this.#watched.get(name);
    if (!watched) {
      const times = new AskTimes(this.#clock, this.#first_at);
      watched = {
        health: this.#facts.health(name),
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
    if (watched.answered - watched.stored >= storedEveryMs) this.#save(name, watched);
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
      if (health.status === 'unhealthy') this.#log.info({ provider_instance: name }, 'The provider instance answers again.');
      watched.health = { ...rest, status: 'healthy' };
      this.#save(name, watched);
    }
  }

  #unhealthy(name: string, watched: Watched, message: string, now: number): void {
    const { health } = watched;
    watched.times.unhealthy();
    if (health.status === 'unhealthy' && (health.message === message || now - watched.stored < storedEveryMs)) return;
    this.#log.warn({ provider_instance: name }, `The provider instance is unhealthy: ${message}`);
    watched.health = { ...health, status: 'unhealthy', message };
    this.#save(name, watched);
  }

  #save(name: string, watched: Watched): void {
    watched.stored = this.#clock.monotonic();
    watched.unstored = false;
    this.#facts.learnHealth(name, watched.health).catch((error: unknown) => {
      if (!watched.unstored) this.#log.warn({ err: error }, 'The health of an instance could not be stored; trying again.');
      watched.unstored = true;
    });
  }
}
