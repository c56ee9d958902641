import type { HealthStatus } from '../../../core/model/health.ts';
import type { Store } from '../../../core/contract/storage.ts';
import type { Broker } from '../../compose.ts';

/** One condition for the broker to serve. */
export interface Check {
  readonly ok: boolean;
  readonly message?: string;
}

/**
 * The state of one instance. A disabled instance counts neither as healthy nor as unhealthy, and neither does an
 * instance of unknown health.
 */
export interface InstanceCheck {
  readonly status: HealthStatus | 'disabled';
  readonly message?: string;
}

export interface Checks {
  readonly storage: Check;
  readonly templates: Check;
  readonly loop: Check;
  /** Only while the server is about to stop. */
  readonly draining?: Check;
  readonly providers: Check & { readonly instances: Readonly<Record<string, InstanceCheck>> };
}

/** Milliseconds within which the storage and the loop must answer. */
const timeoutMs = 2_000;

/** Returns whether the broker can serve, from its own state; does not call providers. */
export async function checksOf(broker: Broker): Promise<Checks> {
  const { store, loop, services } = broker;
  const [storage, loopCheck] = await Promise.all([
    inTime(readyOf(store), 'storage', () => ({ ok: true })),
    inTime(Promise.resolve(loop?.trouble()), 'loop', (trouble) =>
      trouble === undefined ? { ok: true } : { ok: false, message: trouble },
    ),
  ]);
  return {
    storage,
    templates: { ok: services.templateLibrary.cacheStats.loads > 0 },
    loop: loop ? loopCheck : { ok: true, message: 'Another server on the same storage runs the reconciler.' },
    ...(broker.draining ? { draining: { ok: false, message: 'The server is about to stop.' } } : {}),
    providers: providersOf(broker),
  };
}

/** The check fails only when all enabled instances are unhealthy. No enabled instance is a valid configuration. */
function providersOf({ services, facts }: Broker): Checks['providers'] {
  const instances = Object.fromEntries(
    services.providers.instances.map(({ name, enabled }): [string, InstanceCheck] => {
      const { status, message } = facts.health(name);
      if (!enabled) return [name, { status: 'disabled' }];
      return [name, { status, ...(message === undefined ? {} : { message }) }];
    }),
  );
  const enabled = Object.values(instances).filter(({ status }) => status !== 'disabled');
  const ok = enabled.length === 0 || enabled.some(({ status }) => status !== 'unhealthy');
  return { ok, ...(ok ? {} : { message: 'No enabled provider instance answers.' }), instances };
}

/** Rejects when the store can be neither read nor written. */
async function readyOf(store: Store): Promise<void> {
  await store.count('request', { status: 'pending' });
  await store.ready?.();
}

async function inTime<T>(question: Promise<T>, who: string, read: (answer: T) => Check): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<Check>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, message: `The ${who} does not answer.` }), timeoutMs);
  });
  const answered = question.then(
    read,
    (error: unknown): Check => ({
      ok: false,
      message: error instanceof Error ? error.message : `The ${who} failed.`,
    }),
  );
  const check = await Promise.race([answered, timedOut]);
  clearTimeout(timer);
  return check;
}
