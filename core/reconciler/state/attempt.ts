import type { ProviderFault } from '../../contract/fault.ts';
import type { AttemptRecord, AttemptState } from '../../model/attempt.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import type { Launch, Observation } from '../../contract/provider/orders-and-reports.ts';

/** The events of an attempt. */
type AttemptEvent =
  | 'inherited'
  | 'prepared'
  | 'sent'
  | 'accepted'
  | 'launched'
  | 'refused'
  | 'deferred'
  | 'doubted'
  | 'dropped'
  | 'expired'
  | 'sought'
  | 'found'
  | 'missed'
  | 'observed'
  | 'bounded'
  | 'disposed';

/**
 * The states of an attempt and their transitions. An event that is not listed for a state comes too late and changes
 * nothing.
 */
const transitions: Readonly<Record<AttemptState, Partial<Record<AttemptEvent, AttemptState>>>> = {
  open: {
    inherited: 'open',
    prepared: 'open',
    sent: 'open',
    accepted: 'open',
    launched: 'launched',
    refused: 'closed',
    deferred: 'open',
    doubted: 'open',
    dropped: 'closed',
    expired: 'lost',
  },
  launched: { observed: 'launched', bounded: 'launched', disposed: 'launched' },
  closed: { sought: 'lost', disposed: 'closed' },
  lost: { sought: 'lost', found: 'lost', missed: 'lost', observed: 'lost', bounded: 'lost', disposed: 'lost' },
};

function move(attempt: AttemptRecord, event: AttemptEvent, fields: Partial<AttemptRecord> = {}): AttemptRecord {
  const state = transitions[attempt.state][event];
  return state === undefined ? attempt : { ...attempt, ...fields, state };
}

/** No further machine will start without a new call. */
export const isSettled = (attempt: Pick<AttemptRecord, 'state' | 'settled' | 'incoming' | 'reopened'>): boolean =>
  attempt.state === 'closed' ||
  (attempt.state !== 'open' && (attempt.settled || (attempt.incoming === 0 && attempt.reopened !== true)));

/** Machines of the attempt can be released, because it has a handle. */
export const canRelease = (attempt: AttemptRecord): boolean => attempt.handle !== undefined;

/** The outcome may still be learned, by a replay or by a search. */
export const isPursued = (attempt: AttemptRecord): boolean =>
  attempt.state === 'open' || (attempt.state === 'lost' && !attempt.settled);

/** The last holder did not yield its claim, so the order may have been sent. */
export const inherited = (attempt: AttemptRecord): AttemptRecord =>
  attempt.unsent ? attempt : move(attempt, 'inherited', { doubtful: true });

/** `value`: the result of `prepare`. */
export const prepared = (attempt: AttemptRecord, value: unknown): AttemptRecord =>
  move(attempt, 'prepared', { prepared: { value } });

/** Before the first call, and before each call after one that was certainly not executed. */
export const sent = (attempt: AttemptRecord, now: number): AttemptRecord =>
  move(attempt, 'sent', { sent_at: attempt.sent_at ?? now, unsent: false });

/**
 * The provider accepted the order, and its machines do not fit into one commit. If a crash prevents that all of them
 * are stored, a replay gets the answer again; if that is impossible, the handle finds the machines.
 */
export const accepted = (attempt: AttemptRecord, accepted_handle: object): AttemptRecord =>
  move(attempt, 'accepted', { accepted_handle });

/** The provider accepted the order, and its answer is stored. */
export const launched = (
  attempt: AttemptRecord,
  { handle, settled }: Pick<Launch, 'handle' | 'settled'>,
): AttemptRecord => move(attempt, 'launched', { handle, settled, unsent: false, doubtful: false, tries: 0 });

/**
 * The provider refused the order, or never received it and another instance serves: nothing was started. When the
 * provider had accepted the order before and only refused the replay, its handle finds the machines.
 */
export const refused = (attempt: AttemptRecord, why: Shortfall): AttemptRecord =>
  attempt.accepted_handle === undefined
    ? closed(attempt, why)
    : launched(attempt, { handle: attempt.accepted_handle, settled: false });

const closed = (attempt: AttemptRecord, why: Shortfall): AttemptRecord =>
  move(withShortfall(attempt, [why]), 'refused', {
    settled: true,
    unsent: false,
    doubtful: false,
    message: why.message,
  });

/**
 * This call was certainly not executed; an earlier one with the same token may have been. It is repeated: with the
 * same token, unless that one is spent. Another token is only used when this record is stored, because a crash before
 * would repeat the first token.
 */
export const deferred = (attempt: AttemptRecord, fault: ProviderFault, now: number): AttemptRecord => {
  const { kind, code, message } = fault;
  const why = { deferred_for: { kind, code, message }, message };
  const spent = isSpent(attempt, fault);
  return move(attempt, 'deferred', {
    unsent: spent || (!attempt.doubtful && attempt.accepted_handle === undefined),
    ...(spent ? { doubtful: false, tokens_spent: (attempt.tokens_spent ?? 0) + 1 } : {}),
    ...backOff(attempt, fault, now),
    ...why,
  });
};

/** Whether no call with the present token started a machine, and none will. */
const isSpent = (
  { doubtful, accepted_handle }: AttemptRecord,
  { token_spent }: Pick<ProviderFault, 'token_spent'>,
): boolean => accepted_handle === undefined && (token_spent === 'order' || (token_spent === 'call' && !doubtful));

/** The call may have been executed. It is repeated with the same token until the outcome is known. */
export const doubted = (attempt: AttemptRecord, fault: ProviderFault, now: number): AttemptRecord =>
  move(attempt, 'doubted', { unsent: false, doubtful: true, ...backOff(attempt, fault, now), message: fault.message });

/** The order was never executed and is no longer needed. The reason why it had to wait is its shortfall. */
export const dropped = (attempt: AttemptRecord): AttemptRecord => {
  if (!attempt.unsent) return attempt;
  const { deferred_for } = attempt;
  const known = deferred_for
    ? withShortfall(attempt, [{ ...deferred_for, count: attempt.order.machine_count }])
    : attempt;
  return move(known, 'dropped', { settled: true, message: 'No longer needed; it was never executed.' });
};

/**
 * The token is too old for a replay. From now on the machines are searched, first at `retry_at`, unless the handle is
 * known.
 */
export const expired = (attempt: AttemptRecord, retry_at: number): AttemptRecord =>
  move(attempt, 'expired', {
    searches: 0,
    retry_at,
    ...(attempt.accepted_handle === undefined ? {} : { handle: attempt.accepted_handle }),
  });

/**
 * A machine of the attempt appeared and there is no handle to release it by, so the search starts again, at most once.
 * Machines are only applied to an attempt with a handle.
 */
export const sought = (attempt: AttemptRecord, retry_at: number): AttemptRecord =>
  mayBeSought(attempt)
    ? move(attempt, 'sought', { settled: false, disposed: false, sought: true, searches: 0, retry_at })
    : attempt;

export const mayBeSought = (attempt: AttemptRecord): boolean =>
  !canRelease(attempt) && attempt.state !== 'open' && isSettled(attempt) && attempt.sought !== true;

/** The attempt was found. It is not stopped by that: it may be a fleet that still starts machines. */
export const found = (attempt: AttemptRecord, handle: object): AttemptRecord => move(attempt, 'found', { handle });

/** The search found nothing. `retry_at`: the time of the next search; undefined after the last one. */
export const missed = (attempt: AttemptRecord, retry_at: number | undefined): AttemptRecord =>
  move(
    attempt,
    'missed',
    retry_at === undefined
      ? { searches: (attempt.searches ?? 0) + 1, settled: true, message: 'None of its machines was ever found.' }
      : { searches: (attempt.searches ?? 0) + 1, retry_at },
  );

/** The search failed, so its outcome is unknown. */
export const searchFailed = (attempt: AttemptRecord, retry_at: number, message: string): AttemptRecord =>
  move(attempt, 'missed', { retry_at, message });

/** The report of the provider about the attempt. Its machines are applied separately. */
export const observed = (
  attempt: AttemptRecord,
  { settled, stuck, handle }: Omit<Observation, 'machines'>,
): AttemptRecord =>
  move(attempt, 'observed', {
    settled,
    ...(stuck ? { stuck: true } : {}),
    ...(handle === undefined ? {} : { handle }),
  });

/**
 * The provider accepted that at most `incoming` more machines arrive. `lost_seen`: how many machines were lost when the
 * target was computed. The provider was told to keep machines that were lost later, and may replace them.
 */
export const bounded = (attempt: AttemptRecord, incoming: number, lost_seen: number): AttemptRecord =>
  move(attempt, 'bounded', { incoming, lost_seen });

/** Everything that the provider kept for the attempt is removed. */
export const disposed = (attempt: AttemptRecord): AttemptRecord => move(attempt, 'disposed', { disposed: true });

/** Adds the shortfall of an answer. Each combination of offer, kind and code occurs once. */
export function withShortfall(attempt: AttemptRecord, shortfall: readonly Shortfall[] = []): AttemptRecord {
  if (shortfall.length === 0) return attempt;
  const keyOf = (each: Shortfall) => `${each.offer}|${each.kind}|${each.code}`;
  return {
    ...attempt,
    shortfall: [...new Map([...attempt.shortfall, ...shortfall].map((each) => [keyOf(each), each])).values()],
  };
}

/** The duration of the call that gave the outcome, in milliseconds. */
export const answered = (attempt: AttemptRecord, ms: number | undefined): AttemptRecord =>
  ms === undefined ? attempt : { ...attempt, answered_ms: ms };

/**
 * The clock of this host was set: adds to the times of the calls the part of `shifted_ms` that they have not followed
 * yet.
 */
export function shifted(attempt: AttemptRecord, shifted_ms: number): AttemptRecord {
  const ms = shifted_ms - (attempt.shifted_ms ?? 0);
  if (ms === 0) return attempt;
  return {
    ...attempt,
    shifted_ms,
    ...(attempt.sent_at === undefined ? {} : { sent_at: attempt.sent_at + ms }),
    ...(attempt.retry_at === undefined ? {} : { retry_at: attempt.retry_at + ms }),
  };
}

/** The fields that are derived from the machines. `lost`: how many machines of the attempt were lost so far. */
export function derived(attempt: AttemptRecord, lost: number, now: number): AttemptRecord {
  const { state, settled, incoming, lost_seen = 0 } = attempt;
  const reopened = incoming !== undefined && lost > lost_seen;
  const active = !isSettled({ state, settled, ...(incoming === undefined ? {} : { incoming }), reopened });
  // A machine that counted as lost turned out to live, so the next loss is a new one.
  const lowered = incoming !== undefined && lost < lost_seen ? { lost_seen: lost } : {};
  if (attempt.active === active && (attempt.reopened ?? false) === reopened && !('lost_seen' in lowered))
    return attempt;
  const { ended_at, ...rest } = attempt;
  const ended = active ? undefined : attempt.active === false ? ended_at : now;
  return { ...rest, active, reopened, ...lowered, ...(ended === undefined ? {} : { ended_at: ended }) };
}

/**
 * The time of the next call: after 0.5 s, doubling to 30 s, or after the wait of the provider plus up to a quarter.
 * The token spreads the times, so that orders that failed together are not repeated together.
 */
function backOff(
  { token, tries }: AttemptRecord,
  { retry_after_ms = 0 }: ProviderFault,
  now: number,
): Pick<AttemptRecord, 'tries' | 'retry_at'> {
  const wait = Math.min(30_000, 500 * 2 ** Math.min(tries, 10));
  const spread = (token.charCodeAt(0) + token.charCodeAt(1)) % 100;
  return {
    tries: tries + 1,
    retry_at: now + Math.max(retry_after_ms * (1 + spread / 400), wait * (0.75 + spread / 200)),
  };
}
