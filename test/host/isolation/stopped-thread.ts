import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { bootBroker, makePlace } from '../../support/boot-broker.ts';

const plugin = join(import.meta.dirname, 'unruly.ts');

export interface Told {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * A broker whose loop has a thread of its own, with a plugin that stops it: `rules` by instance, `templates` by id
 * with their instance and a rule of their own. `again()` ends it and starts another on the same storage.
 */
export async function bootUnruly(
  t: ExecutionContext,
  {
    rules,
    templates,
    quarantine_ms = 3_000,
  }: {
    readonly rules: Readonly<Record<string, string | undefined>>;
    readonly templates: Readonly<Record<string, { readonly at: string; readonly rule?: string }>>;
    readonly quarantine_ms?: number;
  },
) {
  const directory = mkdtempSync(join(tmpdir(), 'muster-stopped-'));
  const stateOf = (name: string) => join(directory, name);
  const told: Told[] = [];
  const hear = (fields: Readonly<Record<string, unknown>>, message: string) => void told.push({ fields, message });
  for (const [name, rule] of Object.entries(rules))
    if (rule !== undefined) writeFileSync(`${stateOf(name)}.rule`, rule);
  const place = await makePlace({
    templates: Object.entries(templates).map(([template_id, { at, rule }]) => ({
      template_id,
      provider_name: at,
      state: stateOf(at),
      ...(rule === undefined ? {} : { rule }),
    })),
    configuration: {
      plugins: [plugin, 'default-format', 'storage-sqlite'],
      providers: Object.keys(rules).map((name) => ({ name, type: 'unruly', config: { state: stateOf(name) } })),
    },
  });
  const start = () =>
    bootBroker({
      place,
      loop: 'thread',
      thread: { ping_ms: 250, quarantine_ms, heap_mb: 64 },
      log: { debug: () => undefined, info: () => undefined, warn: hear, error: hear },
    });
  let broker = await start();
  t.teardown(async () => {
    await broker.close();
    await place.close();
    rmSync(directory, { recursive: true });
  });
  const call: typeof broker.call = (...given) => broker.call(...given);
  const status = async (id: string) => (await call('GET', `/requests/${id}/status`)).body;
  const became = (id: string, wanted: string) =>
    broker.until(async () => {
      const body = await status(id);
      return body.status === wanted && body;
    });
  return {
    told,
    call,
    status,
    stateOf,
    until: broker.until,
    completed: (id: string) => became(id, 'completed'),
    failed: (id: string) => became(id, 'failed'),
    health: async (name: string) =>
      (await call('GET', `/providers/${name}`)).body as { readonly status: string; readonly message?: string },
    /** Of get_provider_metrics, when the loop answers. */
    metrics: (name: string) =>
      broker.until(
        async () => (await call('GET', `/providers/metrics?provider_instance=${name}`)).body.providers?.[0],
      ),
    request: async (template_id: string): Promise<string> => {
      const { status: code, body } = await call('POST', '/machines/request', { template_id, machine_count: 2 });
      if (code !== 200) throw new Error(JSON.stringify(body));
      return body.request_id as string;
    },
    cure: (name: string) => rmSync(`${stateOf(name)}.rule`, { force: true }),
    stops: () => told.filter(({ message }) => /The server replaces it\.$|^The loop thread hangs/.test(message)).length,
    again: async () => {
      await broker.close();
      broker = await start();
    },
  };
}
