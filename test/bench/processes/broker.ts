import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Settings } from '../../../core/reconciler/settings.ts';
import { Child } from './child.ts';
import { freePort } from './free-port.ts';
import { call } from './http.ts';
import type { Place } from './without-loop.ts';

/** What a user starts. */
export const launcher = join(import.meta.dirname, '../../../host/bin/muster');
/** What the launcher gives to Node. */
export const nodeFlags = ['--max-semi-space-size=8'];
const patienceMs = 60_000;

export interface Broker {
  /** `http://127.0.0.1:PORT/api/v1` */
  readonly api: string;
  readonly pid: number;
  /** From the start of the process to its first answer. */
  readonly started_ms: number;
  stop(): Promise<void>;
}

/**
 * The broker as a user starts it, loop thread and all, on a port of its own. Resolves with its first answer. `env` is
 * added to its environment.
 */
export async function startBroker(directory: string, env: Record<string, string> = {}): Promise<Broker> {
  const port = await freePort();
  const args = ['server', 'start', '--foreground', '--port', String(port)];
  const began = performance.now();
  // The launcher becomes the server: one process.
  const child = new Child(launcher, args, {
    cwd: directory,
    env: { MUSTER_DATA_DIR: directory, ...env },
    answers: false,
  });
  const api = `http://127.0.0.1:${port}/api/v1`;
  await firstAnswer(`${api}/templates/`, child);
  const started_ms = performance.now() - began;
  return { api, pid: child.pid, started_ms, stop: () => child.stop() };
}

/** What the environment of a broker needs for its threads to be watched, see `watch-thread.ts`. */
export const watched = (file: string): Record<string, string> => ({
  BENCH_WATCH: file,
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${pathToFileURL(join(import.meta.dirname, 'watch-thread.ts')).href}`,
});

/**
 * The same broker, except that nothing is carried out: requests are stored and stay pending. `env`: variables of its
 * configuration.
 */
export async function startWithoutLoop(directory: string, env: Record<string, string> = {}): Promise<Broker> {
  const { apis, ...broker } = await startTogetherWithoutLoop([{ directory, env }]);
  return { ...broker, api: apis[0] ?? '' };
}

/** Several of them in one process. */
export async function startTogetherWithoutLoop(
  places: readonly Place[],
): Promise<Omit<Broker, 'api'> & { readonly apis: readonly string[] }> {
  const file = join(import.meta.dirname, 'without-loop.ts');
  const child = new Child(process.execPath, [...nodeFlags, file, JSON.stringify(places)]);
  const { urls } = await child.ask<{ urls: readonly string[] }>({ do: 'start' });
  return { apis: urls.map((url) => `${url}/api/v1`), pid: child.pid, started_ms: 0, stop: () => child.stop() };
}

export interface Intervals {
  readonly settings: Partial<Settings>;
  /** Where blocks of the event loops are written down, see `watch-delays.ts`. */
  readonly delays?: string;
}

/** The same broker with other intervals than the usual ones. */
export async function startWithSettings(directory: string, { settings, delays }: Intervals): Promise<Broker> {
  const watched = delays === undefined ? [] : [`--import=${join(import.meta.dirname, 'watch-delays.ts')}`];
  const child = new Child(
    process.execPath,
    [...nodeFlags, ...watched, join(import.meta.dirname, 'with-settings.ts'), directory, JSON.stringify(settings)],
    {
      env: delays === undefined ? {} : { BENCH_DELAYS: delays },
    },
  );
  const { url } = await child.ask<{ url: string }>({ do: 'start' });
  return { api: `${url}/api/v1`, pid: child.pid, started_ms: 0, stop: () => child.stop() };
}

async function firstAnswer(url: string, child: Child): Promise<void> {
  const end = performance.now() + patienceMs;
  while (performance.now() < end) {
    const answer = await call(url).catch(() => undefined);
    if (answer?.status === 200) return;
    if (child.ended) throw new Error(`The broker ended at its start: ${child.errors}`);
    await wait(2);
  }
  throw new Error(`The broker did not answer within ${patienceMs / 1000} s: ${child.errors}`);
}
