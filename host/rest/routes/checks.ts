import type { HealthStatus } from '../../../core/model/health.ts';
import type { Store } from '../../../core/contract/storage.ts';
import type { Broker } from '../../compose.ts';

/** One thing that must be well for the broker to serve. */
export interface Check {
  readonly ok: boolean;
  readonly message?: string;
}

/** An instance that is disabled is neither well nor ill, and nor is one of which nothing is known yet. */
export interface InstanceCheck {
  readonly status: HealthStatus | 'disabled';
  readonly message?: string;
}

export interface Checks {
  readonly storage: Check;
  readonly templates: Check;
  readonly loop: Check;
  readonly providers: Check & { readonly instances: Readonly<Record<string, InstanceCheck>> };
}

/** What is asked has this long to answer before it counts as gone. */
const patienceMs = 2_000;

/** Whether the broker can serve, by what is known here: no provider is asked. */
export async function checksOf(broker: Broker): Promise<Checks> {
  const { store, loop, services } = broker;
  const [storage, carriedOut] = await Promise.all([
    inTime(readyOf(store), 'storage', () => ({ ok: true })),
    inTime(Promise.resolve(loop?.trouble()), 'loop', (trouble) => (trouble === undefined ? { ok: true } : { ok: false, message: trouble })),
  ]);
  return {
    storage,
    templates: { ok: services.templates.cacheStats.loads > 0 },
    loop: loop ? carriedOut : { ok: true, message: 'Requests are carried out by another server on the same storage.' },
    providers: providersOf(broker),
  };
}

/** One instance that is not unhealthy is enough, and none that is enabled is a choice: only when all that are enabled do not answer nothing can be served. */
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

/** It can be read, and written. */
async function readyOf(store: Store): Promise<void> {
  await store.count('request', { status: 'pending' });
  await store.ready?.();
}

async function inTime<T>(question: Promise<T>, who: string, read: (answer: T) => Check): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Check>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, message: `The ${who} does not answer.` }), patienceMs);
  });
  const asked = question.then(
    read,
    (error: unknown): Check => ({
      ok: false,
      message: error instanceof Error ? error.message : `The ${who} failed.`,
    }),
  );
  const check = await Promise.race([asked, late]);
  clearTimeout(timer);
  return check;
}
