import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { loadConfiguration } from '../../config/load.ts';
import type { Clock } from '../../core/contract/clock.ts';
import type { Settings } from '../../core/reconciler/settings.ts';
import { silentLog, type Log } from '../../core/contract/log.ts';
import { compose, type Broker, type ComposeOptions } from '../../host/compose.ts';
import { createApp } from '../../host/rest/app.ts';
import type { KnobChange } from '../../plugins/cloud-simulator/knobs/knobs.ts';
import { startSimulator } from '../../plugins/cloud-simulator/server/start-simulator.ts';
import type { Simulator } from '../../plugins/cloud-simulator/server/server.ts';

/** What a broker under test is made of; everything may be left out. */
export interface PlaceOptions {
  readonly scheduler?: 'default' | 'hostfactory';
  /** Default `sqlite`, in the directory of the place. */
  readonly storage?: 'sqlite' | 'memory';
  /** Of the simulated cloud. Default: machines boot and go in 50 ms. */
  readonly knobs?: KnobChange;
  /** What the template file holds. Default: `small` (RunInstances), `fleet` (EC2Fleet), `bounded` (at most 5). */
  readonly templates?: readonly Readonly<Record<string, unknown>>[];
  /** Laid over the configuration file, section by section. */
  readonly configuration?: Readonly<Record<string, unknown>>;
}

/**
 * A temporary directory with configuration and templates, and a simulated cloud in this process that outlives every
 * broker on it.
 */
export interface Place {
  readonly directory: string;
  readonly simulator: Simulator;
  close(): Promise<void>;
}

export const testTemplates = [
  {
    template_id: 'small',
    provider_api: 'RunInstances',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
  },
  {
    template_id: 'fleet',
    provider_api: 'EC2Fleet',
    image_id: 'ami-1',
    machine_types: { 't3.small': 1, 't3.medium': 1 },
    subnet_ids: ['subnet-1'],
  },
  {
    template_id: 'bounded',
    provider_api: 'RunInstances',
    image_id: 'ami-1',
    machine_type: 't3.small',
    subnet_ids: ['subnet-1'],
    max_instances: 5,
  },
];

export async function makePlace(options: PlaceOptions = {}): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), 'muster-test-'));
  const simulator = await startSimulator({ knobs: { boot_ms: 50, shutdown_ms: 50, ...options.knobs } });
  const storage = options.storage ?? 'sqlite';
  const configuration = {
    plugins: [
      'cloud',
      'cloud-runinstances',
      'cloud-ec2fleet',
      'default-format',
      'hostfactory-format',
      `storage-${storage}`,
    ],
    scheduler: options.scheduler ?? 'default',
    storage: { type: storage },
    providers: [
      {
        name: 'east',
        type: 'cloud',
        config: { endpoint_url: simulator.url, access_key_id: 'AKIATEST', secret_access_key: 'test' },
      },
    ],
    // Tests call as fast as they can.
    server: { rate_limit: { enabled: false } },
    ...options.configuration,
  };
  await writeFile(join(directory, 'muster.config.json'), JSON.stringify(configuration));
  await writeFile(
    join(directory, 'templates.json'),
    JSON.stringify({ templates: options.templates ?? testTemplates }),
  );
  return {
    directory,
    simulator,
    async close() {
      await simulator.close();
      // A simulated cloud in a process of its own writes its lost file again until its directory is gone.
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

export interface BootOptions extends PlaceOptions {
  /** Default `inline`. */
  readonly loop?: 'thread' | 'inline' | 'none';
  readonly settings?: Partial<Settings>;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly thread?: ComposeOptions['thread'];
  /** The environment variables of the configuration. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Boots on a place that is there already, and leaves it there. */
  readonly place?: Place;
}

/** An answer, with its body as JSON where it is some. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: any;
}

export interface BootedBroker {
  readonly broker: Broker;
  readonly app: FastifyInstance;
  readonly simulator: Simulator;
  readonly place: Place;
  /** A call below /api/v1. A `body` is sent as JSON; text as it is, also called JSON. */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Polls until what `read` gives is no longer undefined or false; throws after 30 seconds. */
  until<T>(read: () => Promise<T | undefined | false>): Promise<T>;
  close(): Promise<void>;
}

/** A broker in this process, reached without a socket. */
export async function bootBroker(options: BootOptions = {}): Promise<BootedBroker> {
  const place = options.place ?? (await makePlace(options));
  const loaded = await loadConfiguration({ cwd: place.directory, env: options.env ?? {} });
  const settings = { observe_moving_ms: 100, ...options.settings };
  const broker = await compose({
    loaded,
    log: options.log ?? silentLog,
    loop: options.loop ?? 'inline',
    settings,
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.thread ? { thread: options.thread } : {}),
  });
  const app = createApp({ broker });
  await app.ready();
  return {
    broker,
    app,
    simulator: place.simulator,
    place,
    async call(method, path, body, headers = {}) {
      const json = body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) };
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await app.inject({ method, url: `/api/v1${path}`, ...json, headers: { ...type, ...headers } });
      return {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string>,
        body: parsed(answer.body),
      };
    },
    until,
    async close() {
      await app.close();
      await broker.close();
      if (!options.place) await place.close();
    },
  };
}

/**
 * On a busy machine, a plugin that behaves again is checked up to half a minute later, and a minute later where an
 * earlier check was in vain.
 */
const untilMs = 100_000;

export async function until<T>(read: () => Promise<T | undefined | false>, withinMs = untilMs): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error(`What was waited for did not come within ${withinMs / 1000} s.`);
    await new Promise((resolve) => void setTimeout(resolve, 25));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface StartOptions extends PlaceOptions {
  /** Starts on a place that is there already, and leaves it there. */
  readonly place?: Place;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The real process, as a person starts it. */
export interface StartedBroker {
  readonly url: string;
  readonly pid: number;
  readonly place: Place;
  /** Everything that it wrote so far, both streams. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Sends a signal and waits for the end; the exit code, or the signal's name. */
  kill(signal: NodeJS.Signals): Promise<number | string>;
  /** Ends it, and removes the place unless it was given. */
  stop(): Promise<void>;
}

const launcher = join(import.meta.dirname, '../../host/bin/muster');

export async function startBroker(options: StartOptions = {}): Promise<StartedBroker> {
  const place = options.place ?? (await makePlace(options));
  const args = ['server', 'start', '--foreground', '--port', '0', ...(options.args ?? [])];
  // The launcher becomes the server: the process ids are the same.
  const child = spawn(launcher, args, {
    cwd: place.directory,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  const exited = new Promise<number | string>(
    (resolve) => void child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  );
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    if (!options.place) await place.close();
  };
  const url = await until(async () => {
    const answers = / answers at (\S+)/.exec(output.stderr)?.[1];
    if (answers === undefined && (child.exitCode ?? child.signalCode) !== null)
      throw new Error(`muster ended with ${await exited} at its start: ${output.stderr}`);
    return answers;
  }).catch(async (error: unknown) => {
    // Nobody else knows of it.
    await stop();
    throw error;
  });
  return {
    url,
    pid: child.pid ?? 0,
    place,
    output,
    async kill(signal) {
      child.kill(signal);
      return exited;
    },
    stop,
  };
}

function collect(child: ChildProcess): { readonly stdout: string; readonly stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  return output;
}
