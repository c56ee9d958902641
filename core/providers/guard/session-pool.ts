import type { Clock } from '../../contract/clock.ts';
import { BrokerError, isBrokerError } from '../../contract/errors.ts';
import type { Log } from '../../contract/log.ts';
import type { EndpointScheme } from '../../contract/plugin.ts';
import type { ServedInstance } from '../../model/broker.ts';
import type { ProviderInstance } from '../../model/provider-instance.ts';
import type { ProviderApi } from '../../contract/provider/provider-api.ts';
import type { ProviderState } from '../../contract/provider/provider-state.ts';
import type { ProviderType } from '../../contract/provider/provider-type.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { isFault, ProviderFault } from '../../contract/fault.ts';
import { ContractViolation } from '../answer-checks/contract-violation.ts';
import { checkIdentity as identityAnswer } from '../answer-checks/answers.ts';
import { assertObject, assertText } from '../answer-checks/assertions.ts';
import { PluginAnswers } from '../plugin-answers.ts';
import { Quarantine, type Pauses, type Quarantined } from '../quarantine/quarantine.ts';
import { PluginFailure } from './asking.ts';
import { unwatched, type CallTracking } from './call-tracking.ts';
import { guard, pluginFault } from './guard.ts';
import { guardedApi, type GuardedApi } from './guarded-api.ts';
import { guardedCalls, type CallEvidence, type GuardedCalls, type Permit } from './guarded-calls.ts';
import { guardedType, type GuardedType } from './guarded-type.ts';
import { unmetered, type ProviderMeter } from './meter/provider-meter.ts';
import { timeOuts } from './time-outs.ts';
import { soundCalls } from './meter/sound-calls.ts';
import { tracedCalls } from './traces/traced-calls.ts';
import { noTracer, type Tracer } from '../../tracing/tracer.ts';

/** A connected provider instance: the only way to call its plugin. */
export interface Connected {
  readonly instance: ProviderInstance;
  /** The cloud that the session speaks to. */
  readonly identity: string;
  readonly type: GuardedType;
  /** An API of its type; undefined when no plugin contributes it. */
  api(name: string): GuardedApi | undefined;
  /** What the session says of itself. Undefined: it says nothing, or nothing valid. */
  state(): ProviderState | undefined;
}

interface Opened {
  readonly url: string;
  close(): Promise<void>;
}

export interface PoolParts {
  readonly instances: readonly ProviderInstance[];
  readonly types: readonly ProviderType<any, any>[];
  readonly apis: readonly ProviderApi[];
  readonly schemes: readonly EndpointScheme[];
  readonly data_directory: string;
  readonly installation: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter?: ProviderMeter;
  readonly watch?: CallTracking;
  readonly evidence?: CallEvidence;
  readonly tracer?: Tracer;
  /** Instances to which calls are paused. */
  readonly quarantine?: readonly Quarantined[];
  /** See `PluginContext.share`. */
  share?(instance: string): number;
}

/**
 * The sessions of all configured instances: connected at the first use, kept, and closed together. A failed connection
 * is retried at the next use.
 */
export class SessionPool {
  readonly #parts: PoolParts;
  readonly #signal: AbortSignal;
  readonly #connected = new Map<string, Promise<Connected>>();
  readonly #known = new Map<string, Connected>();
  readonly #used = new Set<string>();
  /** Instances whose last connection failed. */
  readonly #failed = new Set<string>();
  /** The last opened endpoint of a scheme, by URL. */
  readonly #opened = new Map<string, Opened>();
  readonly #quarantine: Quarantine;
  readonly #answers: PluginAnswers;

  constructor(parts: PoolParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    this.#quarantine = new Quarantine(parts.clock, parts.quarantine ?? []);
    this.#answers = new PluginAnswers({ log: parts.log, watch: parts.watch ?? unwatched });
  }

  /**
   * The session of an instance. Rejects with a ProviderFault when the connection or the identity check fails, and with
   * PROVIDER_NOT_FOUND when the instance is not configured.
   */
  connect(name: string): Promise<Connected> {
    this.#used.add(name);
    return this.connectForCheck(name);
  }

  /** As `connect`, for a call about the instance itself, which does not count as a use. */
  connectForCheck(name: string): Promise<Connected> {
    const kept = this.quarantined(name);
    if (kept) return Promise.reject(kept);
    let connecting = this.#connected.get(name);
    if (!connecting) {
      connecting = this.#connect(name);
      this.#connected.set(name, connecting);
      connecting.then(
        (connected) => {
          this.#known.set(name, connected);
          this.#failed.delete(name);
        },
        () => {
          this.#connected.delete(name);
          this.#failed.add(name);
        },
      );
    }
    return connecting;
  }

  /** The session, if it is already connected. */
  known(name: string): Connected | undefined {
    return this.#known.get(name);
  }

  /**
   * Whether a health check would start the endpoint: a plugin serves the endpoint (the simulated cloud), and the
   * instance has not been used yet. An idle broker starts nothing.
   */
  isDormant(name: string): boolean {
    if (this.#used.has(name)) return false;
    const instance = this.#parts.instances.find((each) => each.name === name);
    const settings: readonly unknown[] = Object.values(instance?.config ?? {});
    return settings.some(
      (value) => typeof value === 'string' && this.#parts.schemes.some(({ scheme }) => value.startsWith(`${scheme}:`)),
    );
  }

  /**
   * The instances that this process can serve: those that are connected, and those that were not connected yet, whose
   * identity is unknown.
   */
  served(): ServedInstance[] {
    return this.#parts.instances.flatMap(({ name, type }) => {
      const identity = this.#known.get(name)?.identity;
      if (identity !== undefined) return [{ name, type, identity }];
      return this.#failed.has(name) ? [] : [{ name, type }];
    });
  }

  /** The session, if it is connected and was used. */
  used(name: string): Connected | undefined {
    return this.#used.has(name) ? this.#known.get(name) : undefined;
  }

  /** Whether the configuration of an instance has notices. Calls no provider. */
  hasNotices(name: string): boolean {
    const { instances, types, watch = unwatched } = this.#parts;
    const instance = instances.find((each) => each.name === name);
    const source = types.find((each) => each.type === instance?.type)?.notices;
    if (!instance || !source) return false;
    try {
      return watch.pure(name, () => source.configured(instance.config)) === true;
    } catch {
      return false;
    }
  }

  /** See `Quarantine.of`. */
  quarantined(name: string, template_id?: string): ProviderFault | undefined {
    return this.#quarantine.of(name, template_id);
  }

  /** See `Quarantine.pauses`. */
  pauses(name: string): Pauses {
    return this.#quarantine.pauses(name);
  }

  async close(): Promise<void> {
    // Connections in progress were aborted before.
    const connected = await Promise.allSettled(this.#connected.values());
    await Promise.allSettled(
      connected.map(async (each) => {
        if (each.status === 'rejected') return;
        const { instance, type } = each.value;
        await this.#closing(`close of '${instance.name}'`, () => type.close(unbound()));
      }),
    );
    await Promise.allSettled(
      [...this.#opened].map(([url, opened]) => {
        const what = `close of '${url}'`;
        const guarded = {
          ...unbound(),
          what,
          mutating: false,
          timeout_ms: timeOuts.close,
          fence: () => undefined,
          log: this.#parts.log,
        };
        return this.#closing(what, () => guard(guarded, async () => opened.close()));
      }),
    );
  }

  /** Closes without a retry: a failure is logged, and an endless close is abandoned. */
  async #closing(what: string, close: () => Promise<unknown>): Promise<void> {
    await close().catch((error: unknown) => this.#parts.log.warn({ err: error }, `The ${what} failed.`));
  }

  async #connect(name: string): Promise<Connected> {
    const { instances, types, apis, clock, installation, log, meter = unmetered, tracer = noTracer } = this.#parts;
    const instance = instances.find((each) => each.name === name);
    const type = types.find((each) => each.type === instance?.type);
    if (!instance || !type)
      throw new BrokerError('PROVIDER_NOT_FOUND', `Provider instance '${name}' is not in the configuration.`);
    const endpoint = (url: string) => this.#endpoint(url);
    const share = () => this.#parts.share?.(name) ?? 1;
    const counted = meter.calls(name);
    const calls = soundCalls(name, tracer.on ? tracedCalls(name, counted, tracer) : counted, log);
    const context = { instance: name, endpoint, clock, log, installation, calls, share };
    const guarding = this.#calls(name);
    const about = { verb: 'connect', what: `connection of '${name}'`, plugin: pluginOf(type) } as const;
    const session = await guarding.call(about, { signal: this.#signal }, async () =>
      type.connect(instance.config as never, context),
    );
    const mine = apis.filter((api) => api.type === type.type);
    const guarded = mine.map((api) => guardedApi(api, session, guarding));
    return {
      instance,
      identity: await this.#identity(name, type, session, guarding),
      type: guardedType(type, mine, session, guarding, instance.config),
      api: (apiName) => guarded.find((api) => api.name === apiName),
      state: () => {
        const state = this.#answers.state(name, type, session);
        return state instanceof PluginFailure ? undefined : state;
      },
    };
  }

  async #identity(name: string, type: ProviderType<any, any>, session: unknown, calls: GuardedCalls): Promise<string> {
    if (!type.identity) return name;
    const about = { verb: 'identity', what: `identity check of '${name}'`, plugin: pluginOf(type) } as const;
    return calls.call(
      about,
      { signal: this.#signal },
      async (call) => type.identity?.(session, call) ?? name,
      identityAnswer,
    );
  }

  #calls(name: string): GuardedCalls {
    const { log, meter = unmetered, watch = unwatched, tracer = noTracer } = this.#parts;
    const { evidence = { ended: () => undefined } } = this.#parts;
    return guardedCalls(name, { log, meter, watch, evidence, tracer });
  }

  async #endpoint(url: string): Promise<string> {
    if (/^https?:/.test(url)) return url;
    const opened = await this.#open(url);
    await this.#opened.get(url)?.close();
    this.#opened.set(url, opened);
    return opened.url;
  }

  async #open(url: string): Promise<Opened> {
    const [name = '', ...rest] = url.split(':');
    const scheme = this.#parts.schemes.find((each) => each.scheme === name);
    if (!scheme) {
      const known = ['http', 'https', ...this.#parts.schemes.map((each) => each.scheme)].join(', ');
      throw new BrokerError('INVALID_CONFIGURATION', `No plugin serves endpoints like '${name}:…'; known: ${known}.`);
    }
    const { data_directory, log } = this.#parts;
    try {
      const opened: unknown = await scheme.open(rest.join(':'), { data_directory, log });
      const { url: answered, close } = assertObject(opened, '', 'url and close');
      assertText(answered, '', '/url');
      if (typeof close !== 'function') throw new ContractViolation('/close', close, 'a function');
      return opened as Opened;
    } catch (error) {
      // An error with a message of its own is passed on.
      if (isFault(error) || isBrokerError(error)) throw error;
      throw pluginFault(error, { what: `opening of '${url}'`, plugin: pluginOf(scheme), log }, 'unavailable');
    }
  }
}

/** Closing runs after all signals have aborted, so it needs its own permit. */
const unbound = (): Permit => ({ signal: new AbortController().signal });
