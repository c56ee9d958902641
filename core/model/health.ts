import type { FaultKind } from '../contract/fault.ts';

/**
 * The health of an instance: `unknown` until it answers for the first time in its present configuration, then whether
 * it answers.
 */
export const healthStatuses = ['unknown', 'healthy', 'unhealthy'] as const;
export type HealthStatus = (typeof healthStatuses)[number];

/** Whether an instance answers, as the loop found at the last check. */
export interface Health {
  readonly status: HealthStatus;
  /** The reason, when the instance is unhealthy. */
  readonly message?: string;
  /** Epoch milliseconds: the time of the last answer, to the minute. */
  readonly answered_at?: number;
}

/** The result of a check that was made now. */
export interface Checked extends Health {
  /** Epoch milliseconds. */
  readonly checked_at: number;
  /** Why the instance did not answer. Absent: it answered. */
  readonly fault?: { readonly kind: FaultKind; readonly code: string; readonly message: string };
}
