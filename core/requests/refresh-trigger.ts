/** Triggers the loop, in whatever process it runs, to observe a request now. The caller does not wait. */
export interface RefreshTrigger {
  /** Triggers at most one observation per request and 2 seconds. */
  refresh(request_id: string): void;
  /** Epoch milliseconds of the last observation that this process knows; undefined when it knows none. */
  refreshedAt(request_id: string): number | undefined;
}
