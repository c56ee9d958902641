import type { AttemptRecord } from '../../model/attempt.ts';
import { isTerminal } from '../../model/request.ts';
import { isSettled } from '../state/attempt.ts';
import type { RequestState } from '../state/request-state.ts';
import { isDenied, memoryMs, type OfferClock } from './orders/standing.ts';

/** How long an attempt without a machine is kept at least: a machine of it may still appear. */
const keptMs = 900_000;

/**
 * The attempts of a request with `retry_until_timeout` that no decision needs any more: they ended long ago without any machine, and
 * their shortfall no longer counts. Such a request may make thousands of attempts. The newest attempt stays, because
 * the next one is numbered after it, and a number names resources of the provider.
 */
export function forgettable(from: RequestState, at: OfferClock): readonly AttemptRecord[] {
  const { request, attempts, machines } = from;
  if (!at.retries || isTerminal(request.status)) return [];
  const before = at.now - Math.max(keptMs, memoryMs(at));
  const newest = Math.max(0, ...attempts.map(({ attempt }) => attempt));
  return attempts.filter(
    (each) =>
      each.attempt !== newest &&
      each.created_at < before &&
      (each.state === 'launched' || each.state === 'closed') &&
      isSettled(each) &&
      !each.shortfall.some(isDenied) &&
      machines.of(each.attempt)[Symbol.iterator]().next().done === true,
  );
}
