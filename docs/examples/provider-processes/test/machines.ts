import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, silentLog, systemClock, type Call, type LaunchOrder } from 'muster';
import plugin from '../index.ts';

const only = <T>(list: readonly T[] = []): T => list[0] ?? assert.fail('The plugin does not contribute it.');
const type = only(plugin.providers);
export const api = only(plugin.providerApis);

const call: Call = { signal: new AbortController().signal, fence: () => undefined, log: silentLog };

/** A broker's session on a directory with processes. `again` is another broker on the same directory. */
export async function open(config: object = {}, directory = mkdtempSync(join(tmpdir(), 'processes-'))) {
  const { value } = compile(type.config as never).parse({ directory, ...config });
  const context = {
    instance: 'here',
    clock: systemClock,
    log: silentLog,
    installation: 'test',
    endpoint: async (url: string) => url,
  };
  const session = await type.connect(value as never, context);
  const tokens = new Set<string>();
  const order = (token: string, machine_count: number, template: object = {}, names?: string[]): LaunchOrder => {
    const fields = {
      command: 'sh',
      args: ['-c', `echo started >> ${join(directory, 'starts')}; exec sleep 60`],
      ...template,
    };
    return {
      request_id: 'req-1',
      attempt: 1,
      token,
      machine_count,
      template: { template_id: 't', ...fields },
      tags: {},
      ...(names ? { names } : {}),
      prepared: undefined,
    };
  };
  const observe = async (token: string) => {
    const [seen] = await api.observe(session, [{ handle: { token }, order: order(token, 0), known: [] }], call);
    if (!seen || !('machines' in seen)) throw seen;
    return seen.machines;
  };
  const release = (token: string, machine_ids: readonly string[]) =>
    api.release(
      session,
      { token },
      { go: machine_ids.map((machine_id) => ({ machine_id, status: 'running' })), stay: [], incoming: 0 },
      call,
    );
  /** Releases all machines of the order until they are gone. */
  const end = async (token: string) => {
    const ids = (await observe(token)).map(({ machine_id }) => machine_id);
    for (;;) {
      const { done, again_ms = 0 } = await release(token, ids);
      if (done) return;
      await systemClock.sleep(again_ms);
    }
  };
  return {
    directory,
    session,
    launch(token: string, machine_count: number, template?: object, names?: string[]) {
      tokens.add(token);
      return api.launch(session, order(token, machine_count, template, names), call);
    },
    observe,
    release,
    end,
    dispose: (token: string) => api.dispose?.(session, { order: order(token, 0) }, call),
    again: (more: object = {}) => open({ ...config, ...more }, directory),
    /** How often the command of the tests was started. */
    starts: () =>
      existsSync(join(directory, 'starts'))
        ? readFileSync(join(directory, 'starts'), 'utf8').split('\n').length - 1
        : 0,
    async [Symbol.asyncDispose]() {
      for (const token of tokens) await end(token).catch(() => undefined);
      await type.close?.(session);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Polls; fails after ten seconds. */
export async function until<T>(read: () => T | false | Promise<T | false>): Promise<NonNullable<T>> {
  for (const last = Date.now() + 10_000; ; await systemClock.sleep(20)) {
    const value = await read();
    if (value) return value as NonNullable<T>;
    if (Date.now() > last) throw new Error('It did not come true within ten seconds.');
  }
}
