import { accessSync, constants, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { definePlugin, defineProviderApi, defineProviderType, ProviderFault, Type } from 'muster';
import type { MachineReport, SessionOf } from 'muster';
import { fileOf, isOver, numbersOf, Places, stateOf, type Order } from './places.ts';
import { startRunner } from './start-runner.ts';
import { stop } from './stop.ts';

const day = 24 * 3_600_000;

/** Machines that are processes of this host. */
const processes = defineProviderType({
  type: 'processes',
  config: Type.Object({
    directory: Type.String({
      default: './data/processes',
      minLength: 1,
      path: true,
      description: 'The directory for records and output. Instances with the same directory share its slots.',
    }),
    max_processes: Type.Integer({
      default: 100,
      minimum: 1,
      maximum: 10_000,
      description: 'The maximum number of processes at a time.',
    }),
    stop_grace_ms: Type.Integer({ default: 5_000, minimum: 0, description: 'From SIGTERM to SIGKILL.' }),
    keep_days: Type.Integer({
      default: 7,
      minimum: 1,
      description: 'How long records and output are kept after the end.',
    }),
    pass_env: Type.Array(Type.String(), {
      default: ['PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TMPDIR'],
      description: "Variables of the broker's own environment that processes get too.",
    }),
  }),
  async connect(config, { clock }) {
    const { DatabaseSync } = await import('node:sqlite');
    const { directory, max_processes } = config;
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const lock = new DatabaseSync(join(directory, 'lock.db'), { timeout: 5_000 });
      return { config, clock, lock, places: new Places(directory, lock, max_processes) };
    } catch (cause) {
      throw unusable(directory, cause);
    }
  },
  // Processes of another host or of another directory do not belong to this instance.
  identity: async ({ config }) => `${hostname()}:${config.directory}`,
  async check({ config: { directory } }) {
    try {
      accessSync(directory, constants.W_OK);
    } catch (cause) {
      throw unusable(directory, cause);
    }
  },
  async close({ lock }) {
    if (lock.isOpen) lock.close();
  },
});

const unusable = (directory: string, cause: unknown) =>
  new ProviderFault('unavailable', `The directory ${directory} cannot be used: ${(cause as Error).message}`, {
    cause,
  });

type Session = SessionOf<typeof processes>;

interface Handle {
  readonly token: string;
}

/** One command for each machine. */
const command = defineProviderApi<Session>()({
  type: 'processes',
  name: 'Command',
  capabilities: {
    machines_per_launch: 20,
    visible_within_ms: 0,
    token_valid_ms: day,
    late_release_ms: 0,
  },
  fields: Type.Object({
    command: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The program, as a path or as found in PATH. It must not go to the background.',
      }),
    ),
    args: Type.Optional(
      Type.Array(Type.String(), { description: 'The arguments, one per entry: no shell splits them.' }),
    ),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'The environment; it overrides the variables of `pass_env`.',
      }),
    ),
    cwd: Type.Optional(Type.String({ minLength: 1, description: "The working directory. Default: the broker's." })),
  }),
  review: ({ command }) =>
    command === undefined ? [{ level: 'error', path: '/command', message: 'is required: the program to run' }] : [],

  async launch({ config, places }, { token, machine_count, request_id, template, tags, names }, call) {
    call.fence();
    const order = places.grant(token, machine_count);
    const missing = machine_count - order.granted;
    const shortfall = {
      kind: 'capacity',
      code: 'FULL',
      message: `All ${config.max_processes} slots are taken.`,
      count: missing,
    } as const;
    if (order.granted === 0) throw new ProviderFault('capacity', shortfall.message, { code: shortfall.code });
    const passed = Object.fromEntries(
      config.pass_env.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    );
    for (const n of numbersOf(order)) {
      if (stateOf(order, n).is !== 'coming') continue;
      const identity = {
        MUSTER_MACHINE_ID: idOf(order, n),
        MUSTER_REQUEST_ID: request_id,
        ...(names ? { MUSTER_MACHINE_NAME: names[n - 1] ?? '' } : {}),
        MUSTER_TAGS: JSON.stringify({ ...template.tags, ...tags }),
      };
      const { command = '', args = [], cwd = process.cwd() } = template;
      call.fence();
      await startRunner(
        order,
        n,
        { command, args, cwd, env: { ...passed, ...template.env, ...identity } },
        call.signal,
      );
    }
    return {
      handle: { token },
      machines: reports(order, names),
      settled: true,
      ...(missing > 0 ? { shortfall: [shortfall] } : {}),
    };
  },

  observe: async ({ places }, watched) =>
    watched.map(({ handle, order: { names } }) => {
      const order = places.order(handle.token);
      return order ? { machines: reports(order, names), settled: true } : unknown(handle);
    }),

  async release({ config, clock, places }, handle: Handle, { go }, call) {
    const order = places.order(handle.token);
    if (!order) throw unknown(handle);
    const named = new Set(go.map(({ machine_id }) => machine_id));
    const wait = numbersOf(order).flatMap((n) => {
      if (!named.has(idOf(order, n))) return [];
      call.fence();
      return stop(order, n, config.stop_grace_ms, clock.now()) ?? [];
    });
    return wait.length === 0 ? { done: true } : { done: false, again_ms: Math.min(...wait) };
  },

  async dispose({ config, clock, places }, { order: { token } }, call) {
    const order = places.order(token);
    if (order && !numbersOf(order).every((n) => isOver(stateOf(order, n)))) return { done: false };
    call.fence();
    if (order) places.end(order, clock.now());
    places.forget(clock.now() - config.keep_days * day);
    return { done: true };
  },
});

const idOf = ({ token }: Order, n: number): string => `${token}-${n}`;

/** Missing records do not prove that the processes are gone. */
const unknown = ({ token }: Handle) =>
  new ProviderFault(
    'unavailable',
    `The directory has no record of the order ${token}. Restore its files, or end its processes by hand.`,
  );

const reports = (order: Order, names?: readonly string[]): readonly MachineReport[] =>
  numbersOf(order).map((n) => {
    const assigned_name = names?.[n - 1];
    return { ...report(order, n), ...(assigned_name === undefined ? {} : { assigned_name }) };
  });

function report(order: Order, n: number): MachineReport {
  const state = stateOf(order, n);
  const output = `its output is in ${fileOf(order, n, 'log')}`;
  const machine_id = idOf(order, n);
  const known = { machine_id, ready: false, ...(state.at === undefined ? {} : { launched_at: state.at }) };
  switch (state.is) {
    case 'coming':
      return { ...known, status: 'pending' };
    case 'failed':
      return { ...known, status: 'failed', message: state.failed };
    case 'gone':
      return { ...known, status: 'terminated', message: `The process is gone; ${output}.` };
    default: {
      const there = {
        name: `${machine_id}.localhost`,
        private_ip: '127.0.0.1',
        message: `Process ${state.pid}; ${output}.`,
      };
      return state.is === 'running'
        ? { ...known, ...there, status: 'running', ready: true }
        : { ...known, ...there, status: 'shutting-down' };
    }
  }
}

export default definePlugin({
  name: 'provider-processes',
  contract: 1,
  providers: [processes],
  providerApis: [command],
});
