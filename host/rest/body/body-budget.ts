/** Bytes of large bodies that all callers have under way, and those of one client. */
const mostOfAll = 128 * 1024 * 1024;
const mostOfOne = 32 * 1024 * 1024;

/** What one call has sent of its body. */
export interface Share {
  /** Whether there is room for so many more bytes. Once the call is over nothing is counted. */
  take(bytes: number): boolean;
  /** The call is over. */
  release(): void;
}

/**
 * Room for bodies that are on their way, or are being worked on: each may have a mebibyte, and be sent as slowly as a call may
 * take.
 */
export function bodyBudget(): (client: string) => Share {
  const held = new Map<string, number>();
  let all = 0;

  return (client) => {
    let own = 0;
    let over = false;
    return {
      take(bytes) {
        // What still comes is read by nobody, so the connection holds it up.
        if (over) return true;
        const ofClient = held.get(client) ?? 0;
        if (all + bytes > mostOfAll || ofClient + bytes > mostOfOne) return false;
        own += bytes;
        all += bytes;
        held.set(client, ofClient + bytes);
        return true;
      },
      release() {
        over = true;
        all -= own;
        const left = (held.get(client) ?? 0) - own;
        own = 0;
        if (left > 0) held.set(client, left);
        else held.delete(client);
      },
    };
  };
}
