import type { AttemptRecord } from '../../model/attempt.ts';
import type { Capabilities } from '../../contract/provider/capabilities.ts';
import type { AnnouncedEnds } from '../claims/announced-ends.ts';
import type { ReplacementContext } from '../replacement/plan-replacements.ts';
import type { ObservationContext } from './observation-due.ts';
import type { FallbackOrder } from './orders/fallback-order.ts';
import type { OtherBrokers } from './other-brokers.ts';

/** The times of the calls for each attempt, on the monotonic clock of this process. */
export type Agenda = ObservationContext['agenda'] & {
  /** When the last observation of each attempt began that has ended. */
  readonly asked_at: ReadonlyMap<number, number>;
  /** The earliest time of the next call. */
  readonly release_at: ReadonlyMap<number, number>;
  readonly dispose_at: ReadonlyMap<number, number>;
  /** Since when every call for an attempt was certainly not executed. */
  readonly unanswered_since: ReadonlyMap<number, number>;
  /** Attempts whose repeated release the provider accepted after a takeover. */
  readonly repeated: ReadonlySet<number>;
  readonly announcedEnds: Pick<AnnouncedEnds, 'due' | 'putsOffMs'>;
};

/** The steps of the request that are being executed. */
export interface InFlight {
  /** Orders are about to be stored. */
  readonly opens: boolean;
  /** Whether a step of an attempt is executed: no other step of it is planned, except a release. */
  has(attempt: number): boolean;
  /** Whether a step of an attempt is executed that may change its machines. */
  changes(attempt: number): boolean;
  /** Whether a conclusion waits for observations at most. */
  readonly letsConclude: boolean;
  /** Whether it waits for nothing. */
  readonly allowsConclusion: boolean;
  /** How many machines may arrive by a release that is being sent for an attempt. Undefined: none is sent. */
  incomingTold(attempt: number): number | undefined;
}

/** The inputs of a decision besides the state of the request. */
export interface PlanContext extends ReplacementContext, ObservationContext, OtherBrokers {
  readonly agenda: Agenda;
  readonly inFlight: InFlight;
  /** The instances that may serve the request. Computed only when machines are missing. */
  fallbackOrder(): FallbackOrder;
  /** Whether an instance is configured and enabled. */
  takesOrders(instance: string): boolean;
  /** Whether an instance does not answer, or refuses everything. Its orders go elsewhere if another one can serve. */
  isUnhealthy(instance: string): boolean;
  /**
   * Why calls for the attempt are paused for a long time: a call for its template stopped the loop thread. Undefined:
   * they are not.
   */
  quarantined(attempt: AttemptRecord): string | undefined;
  /** Why the present configuration prevents calls for an attempt; undefined: it does not. */
  outOfReach(attempt: AttemptRecord): string | undefined;
  /**
   * Undefined: the instance is not configured or speaks to another cloud now, so no calls are made for the attempt.
   */
  capabilities(
    attempt: AttemptRecord,
  ): (Capabilities & { readonly disposes: boolean; readonly finds: boolean }) | undefined;
  /** Why no attempt may be opened now, and after how many milliseconds this is checked again. */
  readonly held_back?: { readonly why: string; readonly ms: number };
}
