import type { AttemptRecord } from '../../model/attempt.ts';
import { gridAfter, gridUntil } from '../cadence/grid.ts';
import type { Settings } from '../settings.ts';
import { isSettled } from '../state/attempt.ts';
import type { RequestState } from '../state/request-state.ts';

/** What the times of observations depend on besides the state of the request. */
export interface ObservationContext {
  readonly monotonic: number;
  readonly settings: Settings;
  readonly agenda: {
    /** The last observation of each attempt. */
    readonly observed_at: ReadonlyMap<number, number>;
    /** When a caller last asked for fresh observations. */
    readonly refresh_asked_at: number | undefined;
  };
  /** Whether the provider sends notices about the machines of an instance now. */
  sendsNotices(instance: string): boolean;
  /** Milliseconds between observations of an attempt whose machines start or end. */
  movingIntervalMs(attempt: AttemptRecord): number;
  /** By how many milliseconds the rare observations of an attempt follow the multiples of their interval. */
  restingOffsetMs(attempt: AttemptRecord, interval: number): number;
}

/** The monotonic time of the next observation of an attempt. Undefined: it need not be observed any more. */
export function observationDue(
  from: RequestState,
  attempt: AttemptRecord,
  at: ObservationContext,
): number | undefined {
  if (attempt.handle === undefined) return undefined;
  const { alive, going, unready, missing } = from.machines.counts(attempt.attempt);
  // A recovered attempt is observed until its machines were reported once, even when no machine is incoming.
  const seen = attempt.state !== 'lost' || attempt.settled;
  if (alive === 0 && isSettled(attempt) && seen) return undefined;
  const last = at.agenda.observed_at.get(attempt.attempt);
  if (last === undefined) return at.monotonic;
  const moving = !isSettled(attempt) || going > 0 || unready > 0;
  const due = moving ? movingDue(last, attempt, at) : restingDue(last, attempt, missing > 0, at);
  const { observe_moving_ms } = at.settings;
  const isStale = last < (at.agenda.refresh_asked_at ?? -Infinity);
  return isStale ? Math.min(due, Math.max(at.monotonic, last + observe_moving_ms)) : due;
}

function movingDue(last: number, attempt: AttemptRecord, { settings, movingIntervalMs }: ObservationContext): number {
  const interval = movingIntervalMs(attempt);
  return interval < settings.observe_moving_ms
    ? gridUntil(last, interval, settings.observe_expected_ms)
    : gridAfter(last, interval);
}

/** While notices arrive, observations are rare, and each attempt has its own share of the time between them. */
function restingDue(last: number, attempt: AttemptRecord, isMissing: boolean, at: ObservationContext): number {
  const { observe_resting_ms, observe_noticed_ms } = at.settings;
  if (isMissing || !at.sendsNotices(attempt.provider_instance)) return gridAfter(last, observe_resting_ms);
  const offset = at.restingOffsetMs(attempt, observe_noticed_ms);
  return offset + gridAfter(last - offset, observe_noticed_ms);
}
