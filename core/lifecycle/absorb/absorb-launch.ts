import type { ProviderFault } from '../../fault.ts';
import type { AttemptRecord } from '../../model/attempt.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import type { Launch } from '../../provider.ts';
import { absorbReports, absorbShortfall } from './absorb-reports.ts';
import type { Draft } from '../case.ts';

/** The provider took the order. */
export function absorbLaunch(draft: Draft, attempt: AttemptRecord, launch: Launch): void {
  draft.setAttempt(attempt.attempt, {
    state: 'launched',
    handle: launch.handle,
    settled: launch.settled,
    unsent: false,
    doubtful: false,
    tries: 0,
  });
  if (draft.request.status === 'pending') draft.setRequest({ status: 'in_progress' });
  draft.journal('attempt.launched', {
    attempt: attempt.attempt,
    provider_instance: attempt.provider_instance,
    machines: launch.machines?.length ?? 0,
  });
  absorbShortfall(draft, attempt, launch.shortfall);
  absorbReports(draft, attempt, launch.machines ?? []);
}

/**
 * The call did not give a handle. Only a fault that says that nothing was started closes the attempt; everything else leaves it open, to be
 * sent again with the same token. Never is a new attempt made for it meanwhile.
 */
export function absorbLaunchFault(draft: Draft, attempt: AttemptRecord, fault: ProviderFault): void {
  const message = fault.message;
  // Who may call is asked before what was called: a replay that is turned away says nothing of the call whose answer was lost.
  const kind = fault.kind === 'credentials' && attempt.doubtful ? 'unavailable' : fault.kind;
  switch (kind) {
    case 'capacity':
    case 'quota':
    case 'credentials':
    case 'invalid':
    case 'gone':
      absorbShortfall(draft, attempt, [shortfallOf(attempt, fault)]);
      draft.setAttempt(attempt.attempt, { state: 'closed', settled: true, unsent: false, doubtful: false, message });
      draft.journal('attempt.refused', {
        attempt: attempt.attempt,
        provider_instance: attempt.provider_instance,
        kind: fault.kind,
        code: fault.code,
        message,
      });
      if (fault.kind === 'invalid') draft.setRequest({ message });
      return;
    case 'throttled':
    case 'unavailable':
      draft.setAttempt(attempt.attempt, { unsent: !attempt.doubtful, ...again(draft, attempt, fault.retry_after_ms), message });
      draft.setRequest({ message: `Waiting for '${attempt.provider_instance}': ${message}` });
      return;
    case 'unknown-outcome':
      draft.setAttempt(attempt.attempt, { unsent: false, doubtful: true, ...again(draft, attempt, fault.retry_after_ms), message });
      draft.journal('attempt.unknown', {
        attempt: attempt.attempt,
        provider_instance: attempt.provider_instance,
        code: fault.code,
        message,
      });
      draft.setRequest({ message: `The answer of '${attempt.provider_instance}' was lost; finding out what it started: ${message}` });
  }
}

/** Before the first call of an attempt, and before each one that follows a certain non-execution. */
export function markSent(draft: Draft, attempt: AttemptRecord): void {
  draft.setAttempt(attempt.attempt, { sent_at: attempt.sent_at ?? draft.now, unsent: false });
}

function shortfallOf(attempt: AttemptRecord, fault: ProviderFault): Shortfall {
  const offers = attempt.order.offers;
  const offer = fault.offer ?? (offers?.length === 1 ? offers[0]?.key : undefined);
  return {
    ...(offer === undefined ? {} : { offer }),
    kind: fault.kind,
    code: fault.code,
    message: fault.message,
    count: attempt.order.machine_count,
  };
}

/** Back-off: 0.5 s, doubling to 30 s, or what the provider says and up to a quarter more. Spread by request so that those that failed together do not return together. */
function again(draft: Draft, attempt: AttemptRecord, retryAfterMs: number | undefined): Pick<AttemptRecord, 'tries' | 'retry_at'> {
  const backoff = Math.min(30_000, 500 * 2 ** Math.min(attempt.tries, 10));
  const spread = (attempt.token.charCodeAt(0) + attempt.token.charCodeAt(1)) % 100;
  const told = (retryAfterMs ?? 0) * (1 + spread / 400);
  return { tries: attempt.tries + 1, retry_at: draft.now + Math.max(told, backoff * (0.75 + spread / 200)) };
}
