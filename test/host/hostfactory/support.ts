import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { install } from '../../../host/hostfactory/install/install.ts';
import type { Dialect, ScriptName } from '../../../host/hostfactory/client/script-call.ts';
import { readServerPlace } from '../../../host/data-directory/server-place.ts';
import { makePlace, type Place, type PlaceOptions } from '../../support/boot-broker.ts';

/** What a script left: how it ended, what it printed, and that as JSON. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly answer: any;
}

/** The scheduler's side of a provider: its directories, and the scripts as it calls them. */
export interface Scheduler {
  readonly place: Place;
  readonly data: string;
  readonly logs: string;
  /** Calls a script as the scheduler does, with a file without a suffix. Text is written as it is. */
  run(script: ScriptName, input?: unknown, env?: Readonly<Record<string, string>>): Promise<Ended>;
  /** Kills the server that a script started, as a crash would. */
  killServer(): Promise<void>;
  close(): Promise<void>;
}

export interface SchedulerOptions extends PlaceOptions {
  readonly dialect?: Dialect;
  readonly env?: Readonly<Record<string, string>>;
}

/** A place with the scripts installed and no server yet. */
export async function makeScheduler(options: SchedulerOptions = {}): Promise<Scheduler> {
  const place = await makePlace({
    ...options,
    configuration: { server: { port: 0, rate_limit: { enabled: false } }, ...options.configuration },
  });
  const [data, logs, scripts] = ['work', 'log', 'scripts'].map((name) => join(place.directory, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(logs);
  install({ directory: scripts, dialect: options.dialect ?? 'symphony', name: 'muster' });
  const surroundings = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    HF_PROVIDER_NAME: 'awsinst',
    HF_PROVIDER_CONFDIR: place.directory,
    HF_PROVIDER_WORKDIR: data,
    HF_PROVIDER_LOGDIR: logs,
    ...options.env,
  };
  let files = 0;

  async function killServer(): Promise<void> {
    const pid = readServerPlace(data)?.pid;
    if (pid === undefined) return;
    process.kill(pid, 'SIGKILL');
    // The lock goes with the process.
    for (let alive = true; alive; alive = isAlive(pid)) await new Promise((resolve) => void setTimeout(resolve, 10));
  }

  return {
    place,
    data,
    logs,
    async run(script, input = {}, env = {}) {
      files += 1;
      const file = join(place.directory, `hf_in_${files}`);
      await writeFile(file, typeof input === 'string' ? input : JSON.stringify(input));
      return ended(join(scripts, `${script}.sh`), ['-f', file], { ...surroundings, ...env });
    },
    killServer,
    async close() {
      await killServer().catch(() => undefined);
      await place.close();
    },
  };
}

export function ended(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, args, { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr, answer: parsed(stdout) }),
    );
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** As a scheduler polls, only more often than every 30 s: each look is a process. */
export async function pollUntil<T>(look: () => Promise<T | undefined | false>, every_ms = 250): Promise<T> {
  const end = performance.now() + 45_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error('What was polled for did not come within 45 s.');
    await sleep(every_ms);
  }
}
