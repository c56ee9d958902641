import { isBrokerError } from '../errors.ts';
import { isFault, ProviderFault } from '../fault.ts';
import { attemptToken } from '../ids.ts';
import type { Log } from '../log.ts';
import type { AttemptRecord } from '../model/attempt.ts';
import type { LaunchOrder, ProviderApi } from '../provider.ts';
import { guard } from '../providers/guard.ts';
import type { Connected, SessionPool } from '../providers/session-pool.ts';
import { absorbLaunch, absorbLaunchFault, markSent } from './absorb-launch.ts';
import { absorbMisses, absorbReports, absorbShortfall } from './absorb-reports.ts';
import type { Demand } from './aims.ts';
import { refOf } from './aims.ts';
import type { Draft } from './case.ts';
import { isAlive } from './counting.ts';
import { expire, finish, undo } from './finish.ts';
import type { Holding } from './holding.ts';
import type { Step } from './next-step.ts';
import type { Observer } from './observer.ts';
import type { PlannedOrder } from './plan.ts';
import type { Settings } from './settings.ts';

/** What came of a step, to be taken in by the case as it is then. */
export type Absorb = (draft: Draft) => void;

export interface Tools {
  readonly pool: SessionPool;
  readonly observer: Observer;
  readonly settings: Settings;
  readonly installation: string;
  readonly signal: AbortSignal;
  readonly log: Log;
  monotonic(): number;
  api(attempt: { readonly provider_type: string; readonly api: string }): ProviderApi | undefined;
  /** Commits in the middle of a step: what must be durable before the next call. */
  record(holding: Holding, absorb: Absorb): Promise<void>;
  /** Limits how many changing calls of one instance run at once. */
  slot<T>(instance: string, call: () => Promise<T>): Promise<T>;
  /** The instance answered. */
  up(instance: string): void;
  /** The instance cannot be used now. */
  down(instance: string, message: string): void;
}

const timeouts = { prepare: 60_000, launch: 180_000, find: 60_000, release: 120_000, dispose: 60_000 } as const;
const defaultAgainMs = 2_000;

/** Does one step: at most one call to the provider, beside what must be stored before it. Rejects only with ClaimLost or a refused commit. */
export async function perform(step: Step, holding: Holding, tools: Tools): Promise<Absorb> {
  switch (step.do) {
    case 'open':
      return open(step.orders, holding, tools);
    case 'send':
      return tools.slot(step.attempt.provider_instance, () => send(step.attempt, holding, tools));
    case 'find':
      return find(step.attempt, holding, tools);
    case 'look':
      return look(step.attempt, holding, tools);
    case 'release':
      return tools.slot(step.demand.attempt.provider_instance, () => release(step.demand, holding, tools));
    case 'dispose':
      return tools.slot(step.attempt.provider_instance, () => dispose(step.attempt, holding, tools));
    case 'close':
      return (draft) =>
        draft.setAttempt(step.attempt.attempt, { state: 'closed', settled: true, message: 'No longer wanted; it was never sent.' });
    case 'give-up':
      return (draft) => giveUp(draft, step.attempt, tools.settings);
    case 'expire':
      return expire;
    case 'undo':
      return undo;
    case 'end':
      return finish;
  }
}

/** Writes down the orders before anything is sent. An instance that cannot say which cloud it is gets none. */
async function open(orders: readonly PlannedOrder[], holding: Holding, tools: Tools): Promise<Absorb> {
  const [first] = orders;
  if (!first) return () => undefined;
  const { provider_instance, provider_type, api } = first.rung;
  const connected = await connect(provider_instance, tools);
  if (connected instanceof ProviderFault && connected.kind !== 'credentials') {
    // It may answer in a moment, and nothing was promised to it yet: meanwhile another rung of the ladder may serve.
    holding.holdBack(`Waiting for '${provider_instance}': ${connected.message}`, connected.retry_after_ms ?? defaultAgainMs);
    return () => undefined;
  }
  return (draft) => {
    const { request, now } = draft;
    let number = draft.attempts.reduce((most, attempt) => Math.max(most, attempt.attempt), 0);
    for (const order of connected instanceof ProviderFault ? orders.slice(0, 1) : orders) {
      number += 1;
      const attempt: AttemptRecord = {
        request_id: request.request_id,
        attempt: number,
        provider_instance,
        provider_type,
        api,
        identity: connected instanceof ProviderFault ? provider_instance : connected.identity,
        token: attemptToken(tools.installation, request.request_id, number),
        order: {
          machine_count: order.machine_count,
          template: order.rung.template,
          ...(order.offers ? { offers: [...order.offers] } : {}),
          tags: request.tags ?? {},
        },
        state: 'open',
        settled: false,
        disposed: false,
        shortfall: [],
        created_at: now,
        ...(tools.api(order.rung)?.prepare ? { unsent: true } : { unsent: false, sent_at: now }),
        doubtful: false,
        tries: 0,
      };
      draft.putAttempt(attempt);
      // The instance cannot be used at all: the attempt is closed as it is made, so that the ladder goes on.
      if (connected instanceof ProviderFault) absorbLaunchFault(draft, attempt, connected);
    }
    draft.setRequest({ provider_instance, provider_type });
    holding.looked_at.clear();
  };
}

async function send(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  if (connected instanceof ProviderFault) return (draft) => absorbLaunchFault(draft, attempt, heldBack(connected));
  const api = tools.api(attempt);
  if (!api) return () => undefined;
  const about = aboutCall(holding, tools, `'${attempt.provider_instance}' (${attempt.api})`);
  try {
    const prepared = await prepare(attempt, api, connected, holding, tools);
    const present = holding.case.attempts.find((each) => each.attempt === attempt.attempt) ?? attempt;
    if (present.unsent || prepared.fresh) {
      await tools.record(holding, (draft) => {
        if (prepared.fresh) draft.setAttempt(attempt.attempt, { prepared: { value: prepared.value } });
        markSent(draft, present);
      });
    }
    const order = orderOf(attempt, prepared.value);
    const launch = await guard({ ...about, what: `launch at ${about.what}`, mutating: true, timeout_ms: timeouts.launch }, (call) =>
      api.launch(connected.session, order, call),
    );
    tools.up(attempt.provider_instance);
    return (draft) => absorbLaunch(draft, draft.attempt(attempt.attempt) ?? attempt, launch);
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error.kind === 'credentials') tools.down(attempt.provider_instance, error.message);
    return (draft) => absorbLaunchFault(draft, draft.attempt(attempt.attempt) ?? attempt, error);
  }
}

/** What the launch refers to and its exact parameters: made once for an attempt, then only read. */
async function prepare(attempt: AttemptRecord, api: ProviderApi, connected: Connected, holding: Holding, tools: Tools) {
  if (!api.prepare || attempt.prepared) return { value: attempt.prepared?.value, fresh: false };
  const about = aboutCall(holding, tools, `'${attempt.provider_instance}' (${attempt.api})`);
  try {
    const value = await guard(
      { ...about, what: `preparation at ${about.what}`, mutating: true, timeout_ms: timeouts.prepare },
      async (call) => api.prepare?.(connected.session, orderOf(attempt, undefined), call),
    );
    return { value: value as unknown, fresh: true };
  } catch (error) {
    // Preparing starts no machine and is idempotent: a lost answer is only a reason to ask again.
    if (isFault(error) && error.kind === 'unknown-outcome')
      throw new ProviderFault('unavailable', error.message, { code: error.code, cause: error });
    throw error;
  }
}

/** A token that is too old proves nothing any more: only the tags can tell what the order started. */
async function find(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  const api = tools.api(attempt);
  if (connected instanceof ProviderFault || !api?.find) return (draft) => nextLook(draft, attempt, tools.settings);
  const about = aboutCall(holding, tools, `'${attempt.provider_instance}' (${attempt.api})`);
  try {
    const handle = await guard({ ...about, what: `search at ${about.what}`, mutating: false, timeout_ms: timeouts.find }, async (call) =>
      api.find?.(connected.session, orderOf(attempt, attempt.prepared?.value), call),
    );
    return (draft) => (handle ? draft.setAttempt(attempt.attempt, { handle, to_come: 0 }) : nextLook(draft, attempt, tools.settings));
  } catch (error) {
    if (!isFault(error)) throw error;
    return (draft) => draft.setAttempt(attempt.attempt, { retry_at: draft.now + 30_000, message: error.message });
  }
}

async function look(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  const api = tools.api(attempt);
  holding.looked_at.set(attempt.attempt, tools.monotonic());
  if (connected instanceof ProviderFault || !api || attempt.handle === undefined) return () => undefined;
  const known = holding.case.machines.filter((machine) => machine.attempt === attempt.attempt && isAlive(machine)).map(refOf);
  try {
    const seen = await tools.observer.look(connected, api, {
      handle: attempt.handle,
      order: orderOf(attempt, attempt.prepared?.value),
      known,
    });
    tools.up(attempt.provider_instance);
    return (draft) => {
      const present = draft.attempt(attempt.attempt) ?? attempt;
      draft.setAttempt(attempt.attempt, { settled: seen.settled, ...(seen.handle === undefined ? {} : { handle: seen.handle }) });
      absorbShortfall(draft, present, seen.shortfall);
      absorbReports(draft, present, seen.machines);
      absorbMisses(draft, present, seen.machines, api.capabilities.visible_within_ms);
    };
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error.kind === 'credentials') tools.down(attempt.provider_instance, error.message);
    tools.log.warn({ request_id: attempt.request_id, attempt: attempt.attempt, kind: error.kind, code: error.code }, error.message);
    return () => undefined;
  }
}

async function release({ attempt, aim }: Demand, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  const api = tools.api(attempt);
  const again = (ms: number) => void holding.release_at.set(attempt.attempt, tools.monotonic() + ms);
  if (connected instanceof ProviderFault || !api || attempt.handle === undefined) {
    again(defaultAgainMs);
    return () => undefined;
  }
  const about = aboutCall(holding, tools, `'${attempt.provider_instance}' (${attempt.api})`);
  try {
    const progress = await guard({ ...about, what: `release at ${about.what}`, mutating: true, timeout_ms: timeouts.release }, (call) =>
      api.release(connected.session, attempt.handle, aim, call),
    );
    tools.up(attempt.provider_instance);
    if (!progress.done) {
      again(progress.again_ms ?? defaultAgainMs);
      return () => undefined;
    }
    holding.release_at.delete(attempt.attempt);
    return (draft) => {
      for (const { machine_id } of aim.go) {
        const key = { provider_instance: attempt.provider_instance, machine_id };
        if (draft.machine(key)?.released_at === undefined) draft.setMachine(key, { released_at: draft.now });
      }
      draft.setAttempt(attempt.attempt, { to_come: aim.to_come });
      if ((draft.request.repeat_release_at ?? 0) > 0 && draft.now >= (draft.request.repeat_release_at ?? 0))
        draft.setRequest({ repeat_release_at: 0 });
    };
  } catch (error) {
    if (!isFault(error)) throw error;
    if (error.kind === 'credentials') tools.down(attempt.provider_instance, error.message);
    // A release is absolute: whatever became of this one, the next says the same again.
    again(error.retry_after_ms ?? defaultAgainMs);
    return (draft) =>
      draft.setRequest({ message: `Giving machines back to '${attempt.provider_instance}' does not succeed yet: ${error.message}` });
  }
}

async function dispose(attempt: AttemptRecord, holding: Holding, tools: Tools): Promise<Absorb> {
  const connected = await connect(attempt.provider_instance, tools);
  const api = tools.api(attempt);
  const again = (ms: number) => void holding.dispose_at.set(attempt.attempt, tools.monotonic() + ms);
  if (connected instanceof ProviderFault || !api) {
    again(30_000);
    return () => undefined;
  }
  const about = aboutCall(holding, tools, `'${attempt.provider_instance}' (${attempt.api})`);
  const left = { order: orderOf(attempt, attempt.prepared?.value), ...(attempt.handle === undefined ? {} : { handle: attempt.handle }) };
  try {
    const progress = await guard(
      { ...about, what: `clean-up at ${about.what}`, mutating: true, timeout_ms: timeouts.dispose },
      async (call) => (await api.dispose?.(connected.session, left, call)) ?? { done: true },
    );
    if (progress.done) return (draft) => draft.setAttempt(attempt.attempt, { disposed: true });
    again(progress.again_ms ?? defaultAgainMs);
  } catch (error) {
    if (!isFault(error)) throw error;
    again(error.retry_after_ms ?? 30_000);
    tools.log.warn({ request_id: attempt.request_id, attempt: attempt.attempt, code: error.code }, error.message);
  }
  return () => undefined;
}

function giveUp(draft: Draft, attempt: AttemptRecord, settings: Settings): void {
  draft.setAttempt(attempt.attempt, { state: 'lost', looks: 0, retry_at: draft.now + (settings.lost_looks_ms[0] ?? 0) });
  draft.journal('attempt.lost', { attempt: attempt.attempt, provider_instance: attempt.provider_instance });
  draft.setRequest({ message: `What an order to '${attempt.provider_instance}' started is not known; looking for it by its tags.` });
}

function nextLook(draft: Draft, attempt: AttemptRecord, settings: Settings): void {
  const looks = (attempt.looks ?? 0) + 1;
  const next = settings.lost_looks_ms[looks];
  if (next === undefined) draft.setAttempt(attempt.attempt, { looks, settled: true, message: 'Nothing was ever seen of it.' });
  else draft.setAttempt(attempt.attempt, { looks, retry_at: draft.now + next });
}

/** The session, or the fault that keeps us from it. */
async function connect(instance: string, tools: Tools): Promise<Connected | ProviderFault> {
  try {
    return await tools.pool.connect(instance);
  } catch (error) {
    const fault = isFault(error)
      ? error
      : new ProviderFault('credentials', isBrokerError(error) ? error.message : `Provider instance '${instance}' cannot connect.`, {
          cause: error,
        });
    tools.down(instance, fault.message);
    return fault;
  }
}

/** An open attempt may have been sent: that the session cannot be had now does not close it. */
const heldBack = (fault: ProviderFault): ProviderFault =>
  new ProviderFault('unavailable', fault.message, { code: fault.code, cause: fault });

function aboutCall(holding: Holding, tools: Tools, what: string) {
  return { what, signal: AbortSignal.any([tools.signal, holding.signal]), fence: () => holding.fence(), log: tools.log };
}

function orderOf(attempt: AttemptRecord, prepared: unknown): LaunchOrder<any, any> {
  return { request_id: attempt.request_id, attempt: attempt.attempt, token: attempt.token, prepared, ...attempt.order };
}
