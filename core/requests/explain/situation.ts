import type { RequestState } from '../../reconciler/state/request-state.ts';
import type { ReturnProgress } from '../../reconciler/returns/apply-return-progress.ts';

/** The state of a provisioning request, and what it depends on outside of it. Times are epoch milliseconds. */
export interface Situation extends RequestState {
  readonly now: number;
  /** Whether a live broker has an instance in its configuration. */
  isServed(instance: string): boolean;
  /** Why an instance does not answer; undefined: it answers, or nothing is known. */
  trouble(instance: string): string | undefined;
  /** The instance of a broker that ended lately, or has not started yet, for which the request waits. Absent: none. */
  readonly awaited?: string;
  /** Only of a request that waits for a slot. */
  readonly slots?: SlotSituation;
  /** When an offer that lacked capacity is ordered again. Absent: no request waits for that. */
  readonly tried_again_at?: number;
}

/** The slots of an instance. */
export interface SlotSituation {
  readonly max: number;
  /** The ids of the first requests that get a slot before this one, and how many there are. */
  readonly ahead: readonly string[];
  readonly ahead_count: number;
}

/** The state of a return. */
export interface ReturnSituation extends ReturnProgress {
  readonly request: RequestState['request'];
}
