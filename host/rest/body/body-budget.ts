/** Maximum bytes of large bodies in progress: of all clients, and of one client. */
const maxOfAll = 128 * 1024 * 1024;
const maxOfOne = 32 * 1024 * 1024;

/** The part of the budget that one call uses. */
export interface Share {
  /**
   * Reserves so many more bytes. Returns false when the budget is exhausted. After `release` it reserves nothing and
   * returns true.
   */
  take(bytes: number): boolean;
  /** Returns all reserved bytes to the budget, at the end of the call. Idempotent. */
  release(): void;
}

/**
 * Creates the budget for request bodies that arrive or are processed: each may have up to 1 MiB and may arrive as
 * slowly as the time-out of a call allows. The result opens the share of one call of a client.
 */
export function bodyBudget(): (client: string) => Share {
  const held = new Map<string, number>();
  let all = 0;

  return (client) => {
    let own = 0;
    let released = false;
    return {
      take(bytes) {
        // The call has ended and its remaining bytes are not read; backpressure holds the connection.
        if (released) return true;
        const ofClient = held.get(client) ?? 0;
        if (all + bytes > maxOfAll || ofClient + bytes > maxOfOne) return false;
        own += bytes;
        all += bytes;
        held.set(client, ofClient + bytes);
        return true;
      },
      release() {
        released = true;
        all -= own;
        const left = (held.get(client) ?? 0) - own;
        own = 0;
        if (left > 0) held.set(client, left);
        else held.delete(client);
      },
    };
  };
}
