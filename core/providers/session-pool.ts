import type { Clock } from '../clock.ts';
import { BrokerError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { EndpointScheme } from '../plugin.ts';
import type { ProviderInstance } from '../model/provider-instance.ts';
import type { ProviderType } from '../provider.ts';
import { guard } from './guard.ts';
import { unmetered, type ProviderMeter } from './provider-meter.ts';

/** A connected provider instance. */
export interface Connected {
  readonly instance: ProviderInstance;
  readonly type: ProviderType<any, any>;
  readonly session: unknown;
  /** Which cloud it speaks to. */
  readonly identity: string;
}

interface Opened {
  readonly url: string;
  close(): Promise<void>;
}

export interface PoolParts {
  readonly instances: readonly ProviderInstance[];
  readonly types: readonly ProviderType<any, any>[];
  readonly schemes: readonly EndpointScheme[];
  readonly data_directory: string;
  readonly installation: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter?: ProviderMeter;
}

/** The sessions of all configured instances: connected at first need, kept, closed together. A connection that failed is tried anew at the next need. */
export class SessionPool {
  readonly #parts: PoolParts;
  readonly #signal: AbortSignal;
  readonly #connected = new Map<string, Promise<Connected>>();
  readonly #known = new Map<string, Connected>();
  /** What was opened last for an endpoint of a scheme. */
  readonly #opened = new Map<string, Opened>();

  constructor(parts: PoolParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /** The session of an instance. Rejects with a ProviderFault when the cloud does not say who we are, PROVIDER_NOT_FOUND when it is not configured. */
  connect(name: string): Promise<Connected> {
    let connecting = this.#connected.get(name);
    if (!connecting) {
      connecting = this.#connect(name);
      this.#connected.set(name, connecting);
      connecting.then(
        (connected) => this.#known.set(name, connected),
        () => this.#connected.delete(name),
      );
    }
    return connecting;
  }

  /** The session, if it is connected already. */
  known(name: string): Connected | undefined {
    return this.#known.get(name);
  }

  async close(): Promise<void> {
    const connected = await Promise.allSettled(this.#connected.values());
    await Promise.allSettled(
      connected.map((each) => (each.status === 'fulfilled' ? each.value.type.close?.(each.value.session) : undefined)),
    );
    await Promise.allSettled([...this.#opened.values()].map((opened) => opened.close()));
  }

  async #connect(name: string): Promise<Connected> {
    const { instances, types, clock, installation, log, meter = unmetered } = this.#parts;
    const instance = instances.find((each) => each.name === name);
    const type = types.find((each) => each.type === instance?.type);
    if (!instance || !type) throw new BrokerError('PROVIDER_NOT_FOUND', `Provider instance '${name}' is not in the configuration.`);
    const endpoint = (url: string) => this.#endpoint(url);
    const context = { instance: name, endpoint, clock, log, installation, calls: meter.calls(name) };
    const guarded = { mutating: false, timeout_ms: 30_000, signal: this.#signal, fence: () => undefined, log };
    const session = await guard({ ...guarded, what: `connection of '${name}'`, ended: meter.verb(name, 'connect') }, async () =>
      type.connect(instance.config as never, context),
    );
    const identity = type.identity
      ? await guard(
          { ...guarded, what: `identity check of '${name}'`, ended: meter.verb(name, 'identity') },
          (call) => type.identity?.(session, call) ?? Promise.resolve(name),
        )
      : name;
    return { instance, type, session, identity };
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
    return scheme.open(rest.join(':'), { data_directory: this.#parts.data_directory, log: this.#parts.log });
  }
}
