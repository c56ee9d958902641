/**
 * A plugin whose instances misbehave while a file says so: `<state>.rule` with `<function> <how>`; or for a template
 * that has that as its `rule`. What it started is kept in `<state>`.
 */
import { AsyncResource } from 'node:async_hooks';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  definePlugin,
  defineProviderApi,
  defineProviderType,
  ProviderFault,
  Type,
  type Call,
  type MachineReport,
} from '../../../core/index.ts';

interface Session {
  readonly state: string;
}

/** Machines by id: the token that started each, and whether it lives. */
export type State = Record<string, { readonly token: string; live: boolean }>;

export const read = (state: string): State =>
  existsSync(state) ? (JSON.parse(readFileSync(state, 'utf8')) as State) : {};
const write = (state: string, machines: State): void => writeFileSync(state, JSON.stringify(machines));

/** What it runs has nothing to do with the call in which it is asked to. */
const loosely = AsyncResource.bind((work: () => void) => void setTimeout(work, 1));

/** An error that is its own cause. */
function endless(): Error {
  const error: Error = new TypeError('has no end');
  error.cause = error;
  return error;
}

function unreadable(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const circle: Record<string, unknown> = {};
circle['self'] = circle;

/** Nonsense that no type would let through, by function. */
const nonsense: Readonly<Record<string, unknown>> = {
  identity: 7,
  places: { regions: 'here' },
  machineTypes: [{ name: '', vcpus: 'two' }],
  owned: [{ kind: 'boat', id: '' }],
  prepare: circle,
  launch: { handle: { on: () => undefined }, machines: [], settled: true },
  observe: [],
  release: { again_ms: 10 },
  dispose: 'done',
  review: [{ level: 'fatal' }],
  offers: [{ key: 'a' }, { key: 'a' }],
  serves: 'yes',
  presumedPlaces: 3,
  machineTypeOf: { name: 4 },
};

/** What a function does instead of its work; undefined: its work. */
function unruly(state: string, name: string, own?: unknown): { readonly answer: unknown } | undefined {
  const rule = `${state}.rule`;
  const [whom, how] =
    typeof own === 'string' ? own.split(' ') : existsSync(rule) ? readFileSync(rule, 'utf8').split(' ') : [];
  if (whom !== name) return undefined;
  switch (how) {
    case 'throws':
      throw new TypeError(`${name} is broken`);
    case 'throws-text':
      throw 'out of order';
    case 'throws-circle':
      throw endless();
    case 'throws-unreadable':
      throw unreadable();
    case 'promises':
      return { answer: Promise.reject(endless()) };
    case 'undefined':
      return { answer: undefined };
    case 'nonsense':
      return { answer: nonsense[name] };
    case 'exits':
      process.exit(3);
    case 'swallows': {
      const kept: unknown[] = [];
      for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index })));
    }
    case 'spins':
      for (;;);
    case 'blocks':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  return undefined;
}

async function later<T>({ state }: Session, name: string, work: () => T, own?: unknown): Promise<T> {
  const rule = `${state}.rule`;
  const text = typeof own === 'string' ? own : existsSync(rule) ? readFileSync(rule, 'utf8') : '';
  for (const how of ['exits', 'swallows'])
    if (text === `${name} ${how}-later`) {
      await new Promise((resolve) => void setTimeout(resolve, 5));
      unruly(state, name, `${name} ${how}`);
    }
  if (text === `${name} spins-later`) {
    await new Promise((resolve) => void setTimeout(resolve, 5));
    for (;;);
  }
  if (text === `${name} waits`) {
    writeFileSync(`${state}.waiting`, '');
    await new Promise(() => undefined);
  }
  if (text === `${name} loose`)
    loosely(() => {
      throw new Error("thrown in nobody's name");
    });
  if (text === `${name} stray-circle`) setTimeout(() => Promise.reject(endless()), 1);
  if (text === `${name} stray-unreadable`)
    setTimeout(() => {
      throw unreadable();
    }, 1);
  if (text === `${name} stray`) setTimeout(() => Promise.reject(new Error('thrown in a timer')), 1);
  const instead = unruly(state, name, own);
  return instead ? (instead.answer as T) : work();
}

/** What no line of a log can show. */
function writeAnything(log: Call['log']): void {
  const lines: readonly (readonly [fields: unknown, message: unknown])[] = [
    [{ n: 1n, circle, err: endless() }, 'odd'],
    [unreadable(), 'unreadable'],
    [undefined, Symbol('odd')],
    ['x'.repeat(1_000_000), undefined],
  ];
  for (const [fields, message] of lines) log.warn(fields as Readonly<Record<string, unknown>>, message as string);
}

async function* listed<T>({ state }: Session, name: string): AsyncGenerator<T> {
  const instead = unruly(state, name);
  if (existsSync(`${state}.rule`) && readFileSync(`${state}.rule`, 'utf8') === `${name} endless`)
    for (;;) yield { name: 'm', vcpus: 1, cores: 1, memory_mib: 1, arch: 'x' } as T;
  for (const each of (instead?.answer as T[]) ?? []) yield each;
}

const at = (config: { readonly state?: string }): string => config.state ?? '';

const type = defineProviderType({
  type: 'unruly',
  config: Type.Object({ state: Type.String({ default: '' }) }),
  connect(config): Session {
    unruly(config.state, 'connect');
    return { state: config.state };
  },
  identity: (session) => later(session, 'identity', () => `unruly ${session.state}`),
  places: (session) => later(session, 'places', () => ({ regions: ['here'], availability_zones: [] })),
  machineTypes: (session) => listed(session, 'machineTypes'),
  owned: (session) => listed(session, 'owned'),
  serves: (config) => {
    const instead = unruly(at(config), 'serves');
    return instead ? (instead.answer as boolean) : true;
  },
  presumedPlaces: (config) => {
    const instead = unruly(at(config), 'presumedPlaces');
    return instead ? (instead.answer as never) : { regions: ['presumed'], availability_zones: [] };
  },
  machineTypeOf: (template) => unruly(String(template['state']), 'machineTypeOf')?.answer as never,
});

function reports(state: string, token: string): MachineReport[] {
  const mine = Object.entries(read(state)).filter(([, machine]) => machine.token === token);
  return mine.map(([machine_id, { live }]) =>
    live
      ? { machine_id, status: 'running', ready: true, name: machine_id, private_ip: '10.0.0.1' }
      : { machine_id, status: 'terminated', ready: false },
  );
}

const api = defineProviderApi<Session>()({
  type: 'unruly',
  name: 'Plain',
  fields: Type.Object({ state: Type.Optional(Type.String()), rule: Type.Optional(Type.String()) }),
  capabilities: {
    supports_spot: false,
    supports_on_demand: true,
    max_instances: 100,
    supported_fleet_types: [],
    machines_per_launch: 10,
    offers_per_launch: 'many',
    visible_within_ms: 0,
    token_valid_ms: 86_400_000,
    late_release_ms: 0,
  },
  review: ({ state, rule }) => {
    const instead = unruly(String(state), 'review', rule);
    return instead ? (instead.answer as never) : [];
  },
  offers: ({ state, rule }) => {
    const instead = unruly(String(state), 'offers', rule);
    return instead ? (instead.answer as never) : [{ key: 'any' }];
  },
  prepare: (session, { template }) => later(session, 'prepare', () => ({ ready: true }), template.rule),
  launch: (session, { token, machine_count, request_id, template }, call) =>
    later(
      session,
      'launch',
      () => {
        call.fence();
        if (template.rule === 'launch writes') writeAnything(call.log);
        const { state } = session;
        const machines = read(state);
        const mine = Object.values(machines).filter((machine) => machine.token === token).length;
        for (let n = mine; n < machine_count; n++)
          machines[`${request_id}-${token.slice(0, 6)}-${n}`] = { token, live: true };
        write(state, machines);
        return { handle: { token }, machines: reports(state, token), settled: true };
      },
      template.rule,
    ),
  observe: (session, watched) =>
    later(
      session,
      'observe',
      () =>
        watched.map(({ handle }) => ({
          machines: reports(session.state, (handle as { token: string }).token),
          settled: true,
        })),
      // One such order is enough to break the observation of all.
      watched.map(({ order }) => order.template['rule']).find((rule) => String(rule).startsWith('observe ')),
    ),
  release: (session, handle, { go }, call) =>
    later(session, 'release', () => {
      call.fence();
      if (typeof (handle as { token?: unknown }).token !== 'string')
        throw new ProviderFault('gone', 'No such handle.');
      const machines = read(session.state);
      for (const { machine_id } of go) if (machines[machine_id]) machines[machine_id].live = false;
      write(session.state, machines);
      return { done: true };
    }),
  dispose: (session) => later(session, 'dispose', () => ({ done: true })),
});

export default definePlugin({ name: 'unruly', contract: 1, providers: [type], providerApis: [api] });
