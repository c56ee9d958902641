import type { ProviderFault } from '../../contract/fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import type { Launch } from '../../contract/provider/orders-and-reports.ts';
import { deferred, doubted, expired, launched, refused, withShortfall } from '../state/attempt.ts';
import { withOutcomes } from '../state/outcomes.ts';
import type { StateChange } from '../state/request-state.ts';
import type { Settings } from '../settings.ts';

/**
 * The number of failed preparations after which the order is refused at the instance, so that the request uses its
 * next instance or fails.
 */
const mostPreparations = 3;

/** The provider accepted the order. The machines of the answer are applied before. */
export function applyLaunch(change: StateChange, { attempt, provider_instance }: AttemptRecord, launch: Launch): void {
  change.moveAttempt(attempt, (each) =>
    withOutcomes(withShortfall(launched(each, launch), launch.shortfall), launch.shortfall, change.now),
  );
  if (change.request.status === 'pending') change.setRequest({ status: 'in_progress' });
  change.journal('attempt.launched', { attempt, provider_instance, machines: launch.machines?.length ?? 0 });
}

/**
 * The call returned no handle. Only a fault that states that nothing was started closes the attempt. After any other
 * fault the attempt stays open and the same order is sent again with the same token; no other attempt replaces it
 * meanwhile.
 */
export function applyLaunchFault(
  change: StateChange,
  attempt: AttemptRecord,
  fault: ProviderFault,
  settings: Settings,
): void {
  const { provider_instance } = attempt;
  const { kind, code, message } = fault;
  const entry = { attempt: attempt.attempt, provider_instance, kind, code, message };
  const [first, ...more] = shortfallOf(attempt, fault);
  change.moveAttempt(attempt.attempt, (each) => withOutcomes(each, [first, ...more], change.now));
  switch (meaningOf(fault, attempt)) {
    case 'refused':
      change.moveAttempt(attempt.attempt, (each) => refused(withShortfall(each, more), first));
      change.journal('attempt.refused', entry);
      if (kind === 'invalid') say(change, attempt, message);
      return;
    case 'not carried out':
      change.moveAttempt(attempt.attempt, (each) => deferred(each, fault, change.now));
      say(change, attempt, `Waiting for '${provider_instance}': ${message}`);
      return;
    case 'unknown':
      change.moveAttempt(attempt.attempt, (each) => doubted(each, fault, change.now));
      change.journal('attempt.unknown', { attempt: attempt.attempt, provider_instance, code, message });
      say(change, attempt, `The answer of '${provider_instance}' was lost; finding out what it started: ${message}`);
      return;
    case 'unrepeatable':
      change.moveAttempt(attempt.attempt, (each) => withShortfall(each, [first, ...more]));
      change.journal('attempt.refused', entry);
      markLost(change, attempt, settings);
  }
}

/** The message of a request says how its own orders are, not those for replacements. */
function say(change: StateChange, { replaces }: AttemptRecord, message: string): void {
  if (replaces === undefined) change.setRequest({ message });
}

type Meaning = 'refused' | 'not carried out' | 'unknown' | 'unrepeatable';

/**
 * The meaning of a fault for the order. When an earlier answer was lost, the refusal of a replay need not apply to the
 * earlier call. Clouds check the credentials first, so their refusal says nothing about the earlier call. They may
 * check the parameters before the token: a resource that the order names may have been deleted since, and then the
 * order cannot be repeated. They check capacity and quota only after the token.
 */
function meaningOf({ kind, code }: ProviderFault, { doubtful, accepted_handle, tries }: AttemptRecord): Meaning {
  const isInDoubt = doubtful && accepted_handle === undefined;
  switch (kind) {
    case 'credentials':
      return isInDoubt ? 'not carried out' : 'refused';
    case 'invalid':
    case 'gone':
      return isInDoubt ? 'unrepeatable' : 'refused';
    case 'capacity':
    case 'quota':
      return 'refused';
    case 'throttled':
    case 'unavailable':
      return code === 'PREPARATION_FAILED' && tries + 1 >= mostPreparations ? 'refused' : 'not carried out';
    case 'unknown-outcome':
      return 'unknown';
  }
}

/** The order can no longer be repeated. From now on its machines are only searched by tags. */
export function markLost(change: StateChange, order: AttemptRecord, settings: Settings): void {
  const { attempt, provider_instance } = order;
  change.moveAttempt(attempt, (each) => expired(each, change.now + (settings.recover_after_ms[0] ?? 0)));
  change.journal('attempt.lost', { attempt, provider_instance });
  say(
    change,
    order,
    `The result of an order to '${provider_instance}' is not known; looking for its machines by their tags.`,
  );
}

/** Ends an attempt that the provider never executed, so that another instance can serve. */
export function applyLeft(change: StateChange, attempt: AttemptRecord, message: string): void {
  const { provider_instance } = attempt;
  const why: Shortfall = { kind: 'unavailable', code: 'NO_ANSWER', message, count: attempt.order.machine_count };
  change.moveAttempt(attempt.attempt, (each) =>
    each.unsent ? withOutcomes(refused(each, why), [why], change.now) : each,
  );
  change.journal('attempt.left', { attempt: attempt.attempt, provider_instance, message });
}

/** Calls for the request stopped the loop thread at an instance repeatedly, so its orders there are abandoned. */
export function applyExclusion(change: StateChange, instance: string, message: string, settings: Settings): void {
  for (const attempt of change.attempts) {
    if (attempt.provider_instance !== instance || attempt.state !== 'open') continue;
    if (!attempt.unsent) {
      markLost(change, attempt, settings);
      continue;
    }
    const why: Shortfall = {
      kind: 'unavailable',
      code: 'STOPPED_THREAD',
      message,
      count: attempt.order.machine_count,
    };
    change.moveAttempt(attempt.attempt, (each) => withOutcomes(refused(each, why), [why], change.now));
    change.journal('attempt.refused', { attempt: attempt.attempt, provider_instance: instance, ...why });
  }
}

/** The reason for each offer that the fault names; one reason when it names none. */
function shortfallOf({ order }: AttemptRecord, fault: ProviderFault): readonly [Shortfall, ...Shortfall[]] {
  const [only, ...more] = order.offers ?? [];
  const [named, ...others] = fault.offers ?? [];
  const offer = named ?? fault.offer ?? (more.length === 0 ? only?.key : undefined);
  const { kind, code, message, lack } = fault;
  const reason = { kind, code, message, ...(lack === undefined ? {} : { lack }) };
  const first = { ...(offer === undefined ? {} : { offer }), ...reason, count: order.machine_count };
  // The missing machines are counted once.
  return [first, ...others.map((key) => ({ offer: key, ...reason }))];
}
