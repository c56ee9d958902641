import type { FaultKind } from '../contract/fault.ts';

/** What is known of an instance: nothing until it answered once in its present configuration, then whether it answers. */
export const healthStatuses = ['unknown', 'healthy', 'unhealthy'] as const;
export type HealthStatus = (typeof healthStatuses)[number];

/** Whether an instance answers, as the loop last found it. */
export interface Health {
  readonly status: HealthStatus;
  /** Why it is unhealthy. */
  readonly message?: string;
  /** Epoch milliseconds: when it last answered, to the minute. */
  readonly answered_at?: number;
}

/** What came of asking an instance now. */
export interface Checked extends Health {
  /** Epoch milliseconds. */
  readonly checked_at: number;
  /** Why it did not answer. Absent: it answered. */
  readonly fault?: { readonly kind: FaultKind; readonly code: string; readonly message: string };
}
