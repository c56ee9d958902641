/** How faces ask the loop to look at a request now, wherever the loop runs. Nobody waits for it. */
export interface RefreshTrigger {
  /** At most one look per request and 2 seconds comes of it. */
  look(request_id: string): void;
  /** Epoch milliseconds of the last look that this process heard of. */
  lookedAt(request_id: string): number | undefined;
}

/** For a process without a loop: nothing is looked at. */
export const noRefresh: RefreshTrigger = { look: () => undefined, lookedAt: () => undefined };
