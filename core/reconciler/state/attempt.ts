import type { ProviderFault } from '../../contract/fault.ts';
import type { AttemptRecord, AttemptState } from '../../model/attempt.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import type { Launch, Observation } from '../../contract/provider.ts';

/** What can happen to an attempt. */
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
 * The attempt's states and what leads from one to another. An event that a state does not list comes too late and changes nothing: what it says
 * was overtaken by what brought the attempt there.
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

/** Nothing more comes of it by itself. */
export const isSettled = (attempt: AttemptRecord): boolean =>
  attempt.state === 'closed' || (attempt.state !== 'open' && (attempt.settled || (attempt.to_come === 0 && attempt.reopened !== true)));

/** Machines of it can be released: there is a handle to release them by. */
export const canRelease = (attempt: AttemptRecord): boolean => attempt.handle !== undefined;

/** An outcome may still be learned of it, by a replay or by a search. */
export const isPursued = (attempt: AttemptRecord): boolean => attempt.state === 'open' || (attempt.state === 'lost' && !attempt.settled);

/** The last holder ended without giving its claim back: what it may have sent counts as sent. */
export const inherited = (attempt: AttemptRecord): AttemptRecord =>
  attempt.unsent ? attempt : move(attempt, 'inherited', { doubtful: true });

/** `value`: what `prepare` returned. */
export const prepared = (attempt: AttemptRecord, value: unknown): AttemptRecord => move(attempt, 'prepared', { prepared: { value } });

/** Before the first call, and before each call that follows one that was certainly not carried out. */
export const sent = (attempt: AttemptRecord, now: number): AttemptRecord =>
  move(attempt, 'sent', { sent_at: attempt.sent_at ?? now, unsent: false });

/**
 * The provider took the order, and its machines do not fit into one commit. The answer is got once more, by a replay, if they are not all stored before a
 * crash; if it cannot be got any more they are found by the handle.
 */
export const accepted = (attempt: AttemptRecord, accepted_handle: object): AttemptRecord => move(attempt, 'accepted', { accepted_handle });

/** The provider took the order, and what it answered with is stored. */
export const launched = (attempt: AttemptRecord, { handle, settled }: Pick<Launch, 'handle' | 'settled'>): AttemptRecord =>
  move(attempt, 'launched', { handle, settled, unsent: false, doubtful: false, tries: 0 });

/**
 * The provider refused the order, or never got it and another instance serves instead: nothing was started. Where it had been taken before, and only the
 * replay is refused, what it started is found by its handle.
 */
export const refused = (attempt: AttemptRecord, why: Shortfall): AttemptRecord =>
  attempt.accepted_handle === undefined ? closed(attempt, why) : launched(attempt, { handle: attempt.accepted_handle, settled: false });

const closed = (attempt: AttemptRecord, why: Shortfall): AttemptRecord =>
  move(short(attempt, [why]), 'refused', { settled: true, unsent: false, doubtful: false, message: why.message });

/** The call was certainly not carried out: it is made again, with the same token. */
export const deferred = (attempt: AttemptRecord, fault: ProviderFault, now: number): AttemptRecord =>
  move(attempt, 'deferred', { unsent: !attempt.doubtful, ...backOff(attempt, fault, now), message: fault.message });

/** The call may have been carried out: it is made again, with the same token, until there is an outcome. */
export const doubted = (attempt: AttemptRecord, fault: ProviderFault, now: number): AttemptRecord =>
  move(attempt, 'doubted', { unsent: false, doubtful: true, ...backOff(attempt, fault, now), message: fault.message });

/** It was never sent, and is no longer wanted. */
export const dropped = (attempt: AttemptRecord): AttemptRecord =>
  attempt.unsent ? move(attempt, 'dropped', { settled: true, message: 'No longer wanted; it was never sent.' }) : attempt;

/** Its token is too old for a replay: from now on what it started is looked for, first at `retry_at`, unless its handle is known. */
export const expired = (attempt: AttemptRecord, retry_at: number): AttemptRecord =>
  move(attempt, 'expired', { looks: 0, retry_at, ...(attempt.accepted_handle === undefined ? {} : { handle: attempt.accepted_handle }) });

/**
 * A machine of it was seen, and there is no handle to release it by: it is looked for again, from the beginning, once. Before a machine is taken in
 * there has to be a handle.
 */
export const sought = (attempt: AttemptRecord, retry_at: number): AttemptRecord =>
  mayBeSought(attempt) ? move(attempt, 'sought', { settled: false, disposed: false, sought: true, looks: 0, retry_at }) : attempt;

export const mayBeSought = (attempt: AttemptRecord): boolean =>
  !canRelease(attempt) && attempt.state !== 'open' && isSettled(attempt) && attempt.sought !== true;

/** What it started was found. It is not stopped by that: it may be a fleet that goes on. */
export const found = (attempt: AttemptRecord, handle: object): AttemptRecord => move(attempt, 'found', { handle });

/** It was looked for and not found; `retry_at`: when it is looked for next, undefined when that was the last time. */
export const missed = (attempt: AttemptRecord, retry_at: number | undefined): AttemptRecord =>
  move(
    attempt,
    'missed',
    retry_at === undefined
      ? { looks: (attempt.looks ?? 0) + 1, settled: true, message: 'Nothing was ever seen of it.' }
      : { looks: (attempt.looks ?? 0) + 1, retry_at },
  );

/** The search itself failed, which says nothing. */
export const searchFailed = (attempt: AttemptRecord, retry_at: number, message: string): AttemptRecord =>
  move(attempt, 'missed', { retry_at, message });

/** What the provider said of it; its machines are taken in apart. */
export const observed = (attempt: AttemptRecord, { settled, stuck, handle }: Omit<Observation, 'machines'>): AttemptRecord =>
  move(attempt, 'observed', { settled, ...(stuck ? { stuck: true } : {}), ...(handle === undefined ? {} : { handle }) });

/**
 * The provider accepted that at most `to_come` more machines arrive. `lost_seen`: how many of its machines had been lost when that was asked for: one
 * that was lost later the provider was told to keep, and may replace.
 */
export const bounded = (attempt: AttemptRecord, to_come: number, lost_seen: number): AttemptRecord =>
  move(attempt, 'bounded', { to_come, lost_seen });

/** What the provider kept for it is removed. */
export const disposed = (attempt: AttemptRecord): AttemptRecord => move(attempt, 'disposed', { disposed: true });

/** Adds what an answer says about machines that did not come; the same sentence twice is one. */
export function short(attempt: AttemptRecord, shortfall: readonly Shortfall[] = []): AttemptRecord {
  if (shortfall.length === 0) return attempt;
  const keyOf = (each: Shortfall) => `${each.offer}|${each.kind}|${each.code}`;
  return { ...attempt, shortfall: [...new Map([...attempt.shortfall, ...shortfall].map((each) => [keyOf(each), each])).values()] };
}

/** How long the call took that gave its outcome. */
export const answered = (attempt: AttemptRecord, ms: number | undefined): AttemptRecord =>
  ms === undefined ? attempt : { ...attempt, answered_ms: ms };

/** The clock of this host was set: the times that its calls are measured by move along, by what they lack of `moved_ms`. */
export function shifted(attempt: AttemptRecord, moved_ms: number): AttemptRecord {
  const ms = moved_ms - (attempt.moved_ms ?? 0);
  if (ms === 0) return attempt;
  return {
    ...attempt,
    moved_ms,
    ...(attempt.sent_at === undefined ? {} : { sent_at: attempt.sent_at + ms }),
    ...(attempt.retry_at === undefined ? {} : { retry_at: attempt.retry_at + ms }),
  };
}

/** The fields that follow from its machines: `lost` is how many of them were lost so far. */
export function derived(attempt: AttemptRecord, lost: number): AttemptRecord {
  const { to_come, lost_seen = 0 } = attempt;
  const reopened = to_come !== undefined && lost > lost_seen;
  const active = !isSettled({ ...attempt, reopened });
  // One that had been lost turned out to live: the next that is lost is a new one.
  const lowered = to_come !== undefined && lost < lost_seen ? { lost_seen: lost } : {};
  if (attempt.active === active && (attempt.reopened ?? false) === reopened && !('lost_seen' in lowered)) return attempt;
  return { ...attempt, active, reopened, ...lowered };
}

/**
 * When to call again: 0.5 s, doubling to 30 s, or what the provider says and up to a quarter more. Spread by token, so that those that failed
 * together do not return together.
 */
function backOff(
  { token, tries }: AttemptRecord,
  { retry_after_ms = 0 }: ProviderFault,
  now: number,
): Pick<AttemptRecord, 'tries' | 'retry_at'> {
  const wait = Math.min(30_000, 500 * 2 ** Math.min(tries, 10));
  const spread = (token.charCodeAt(0) + token.charCodeAt(1)) % 100;
  return { tries: tries + 1, retry_at: now + Math.max(retry_after_ms * (1 + spread / 400), wait * (0.75 + spread / 200)) };
}
