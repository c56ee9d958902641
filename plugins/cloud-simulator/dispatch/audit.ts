/** One call that reached the simulated cloud. */
export interface AuditEntry {
  /** Rises by one; never used twice until a reset. */
  readonly n: number;
  /** ISO time of the simulator's clock. */
  readonly at: string;
  readonly account: string;
  readonly region: string;
  readonly action: string;
  readonly token: string | null;
  /** Hash of the parameters without the client token: equal for an identical replay. */
  readonly params_hash: string;
  /** What the call made, changed or removed; empty for reading calls. */
  ids: readonly string[];
  /** Whether the call took effect: it was neither refused nor skipped by a fault. */
  executed: boolean;
  /** Whether a complete HTTP answer was sent to the caller's socket; false for dropped and cut answers. */
  answered: boolean;
  /** The error code of the call or of its answer; null if there is none. */
  code: string | null;
  /** The fault that hit the call, as `execute/drop`, else null. */
  fault: string | null;
}

/** The log of all calls. It keeps the last 100 000 to 150 000. */
export interface Audit {
  append(entry: Omit<AuditEntry, 'n'>): AuditEntry;
  /** Entries after number `n`, and the number of the last entry of all. */
  since(n: number): { readonly entries: readonly AuditEntry[]; readonly next: number };
  clear(): void;
}

const keep = 100_000;
const none: readonly string[] = [];

export function createAudit(): Audit {
  let entries: AuditEntry[] = [];
  let last = 0;
  return {
    append(entry) {
      // The audit holds up to 150 000 entries. Spread objects, a separate string for every date and growable lists
      // would need three times the memory.
      const { account, region, action, token, params_hash, executed, answered, code, fault } = entry;
      const ids = entry.ids.length === 0 ? none : entry.ids.slice();
      const before = entries.at(-1)?.at;
      const at = before === entry.at ? before : entry.at;
      const added = {
        n: ++last,
        at,
        account,
        region,
        action,
        token,
        params_hash,
        ids,
        executed,
        answered,
        code,
        fault,
      };
      entries.push(added);
      if (entries.length > keep * 1.5) entries = entries.slice(-keep);
      return added;
    },
    since(n) {
      const first = entries[0]?.n ?? last + 1;
      return { entries: entries.slice(Math.max(0, n + 1 - first)), next: last };
    },
    clear() {
      entries = [];
      last = 0;
    },
  };
}
