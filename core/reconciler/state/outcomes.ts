import type { FaultKind } from '../../contract/fault.ts';
import type { AttemptOutcome, AttemptRecord } from '../../model/attempt.ts';
import type { Shortfall } from '../../model/shortfall.ts';
import { shortened } from '../../texts/shortened.ts';

/** The most different outcomes of an attempt that are kept. */
const mostOutcomes = 16;
/** The most characters of a kept message. */
const longestMessage = 600;
/** The ids of the first calls show what was ordered; those of the last ones how it ended. */
const firstIds = 4;
const lastIds = 12;

/** Why a call for an attempt did not do what it asked for. */
export type Answer = Pick<Shortfall, 'kind' | 'code' | 'message'> & { readonly offer?: string | undefined };

/** Records answers of the provider. An equal answer about the same offer is counted, with its time and message. */
export function withOutcomes(
  attempt: AttemptRecord,
  answers: readonly Answer[] | undefined = [],
  at: number,
): AttemptRecord {
  if (answers.length === 0) return attempt;
  const outcomes = new Map((attempt.outcomes ?? []).map((each) => [keyOf(each), each]));
  for (const answer of answers.slice(0, mostOutcomes)) {
    const key = keyOf(answer);
    const known = outcomes.get(key);
    // The last one comes last.
    outcomes.delete(key);
    outcomes.set(key, outcomeOf(answer, at, known));
  }
  return { ...attempt, outcomes: [...outcomes.values()].slice(-mostOutcomes) };
}

/**
 * Records those reasons that an observation reports for the first time: each observation repeats the others. Must be
 * called before the reasons become the shortfall of the attempt.
 */
export function withObservedOutcomes(
  attempt: AttemptRecord,
  shortfall: readonly Shortfall[] | undefined = [],
  at: number,
): AttemptRecord {
  const known = new Map(attempt.shortfall.map((each) => [keyOf(each), each.message]));
  // Of several reports of one reason the last one becomes the shortfall.
  const reports = new Map(shortfall.map((each) => [keyOf(each), each]));
  const news = [...reports].flatMap(([key, each]) => (known.get(key) === each.message ? [] : [each]));
  return withOutcomes(attempt, news, at);
}

/** An equal answer is recorded again after this time. */
const recordedAgainMs = 30_000;

/** Whether an equal answer about the same offer was recorded a short time ago. */
export function isRecorded({ outcomes = [] }: AttemptRecord, answer: Answer, at: number): boolean {
  const known = outcomes.find((each) => keyOf(each) === keyOf(answer));
  return known?.message === shortened(answer.message, longestMessage) && at - known.at < recordedAgainMs;
}

/** Whether a person must act before an equal call succeeds. */
export const lasts = (kind: FaultKind): boolean => kind === 'invalid' || kind === 'credentials';

/**
 * Records that the machines of an attempt could not be observed. Only a reason that lasts is recorded, once until the
 * next report: others come and go with each call. `observed_at`: the time of the last report.
 */
export function withRefusedObservation(
  attempt: AttemptRecord,
  answer: Answer,
  at: number,
  observed_at = 0,
): AttemptRecord {
  const known = attempt.outcomes?.find((each) => keyOf(each) === keyOf(answer));
  return !lasts(answer.kind) || (known && known.at > observed_at) ? attempt : withOutcomes(attempt, [answer], at);
}

function outcomeOf(
  { kind, code, message, offer }: Answer,
  at: number,
  before: AttemptOutcome | undefined,
): AttemptOutcome {
  return {
    at,
    kind,
    code,
    message: shortened(message, longestMessage),
    ...(offer === undefined ? {} : { offer }),
    ...(before === undefined ? {} : { count: (before.count ?? 1) + 1 }),
  };
}

const keyOf = ({ offer, kind, code }: Answer): string => `${offer}|${kind}|${code}`;

/** Records the ids under which the cloud knows calls for the attempt. */
export function withCloudRequests(attempt: AttemptRecord, ids: readonly string[]): AttemptRecord {
  const known = attempt.cloud_request_ids ?? [];
  const all = [...new Set([...known, ...ids])];
  if (all.length === known.length) return attempt;
  return {
    ...attempt,
    cloud_request_ids: all.length <= firstIds + lastIds ? all : [...all.slice(0, firstIds), ...all.slice(-lastIds)],
  };
}
