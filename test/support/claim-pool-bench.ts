import { silentLog, type Clock, type Log, type Store } from '../../core/index.ts';
import { ClaimPool } from '../../core/reconciler/claims/claim-pool.ts';
import { StorageTrouble } from '../../core/reconciler/claims/storage-trouble.ts';
import { defaultSettings } from '../../core/reconciler/settings.ts';
import { aBroker } from '../../plugin-testkit/storage/records.ts';
import { attemptOf, machineOf, requestOf } from './records.ts';

/** A pool of claims on a store, which runs each request every two seconds, and what it did. */
export function claimPoolOn(store: Store, clock: Clock) {
  const ran = new Map<string, number>();
  const logged: { readonly message: string; readonly request_id?: unknown }[] = [];
  const log: Log = {
    ...silentLog,
    warn: (about, message) => void logged.push({ ...about, message }),
    error: (about, message) => void logged.push({ ...about, message }),
  };
  const signalled = new Set<string>();
  const trouble = new StorageTrouble(clock, log);
  const pool: ClaimPool = new ClaimPool({
    store,
    clock,
    log,
    broker: () => aBroker({}),
    settings: defaultSettings,
    trouble,
    renewed: () => undefined,
    lateReleaseHarms: () => false,
    everyRound: async () => undefined,
    async run(claimed) {
      claimed.fence();
      for (const { signal_id } of claimed.present().signals) signalled.add(signal_id);
      ran.set(claimed.request_id, (ran.get(claimed.request_id) ?? 0) + 1);
      pool.due(claimed, 2_000);
    },
  });
  return {
    pool,
    ran,
    signalled,
    logged,
    trouble,
    /** Stores a request that is due, with its machines. */
    async add(request_id: string, machine_count: number): Promise<void> {
      const now = clock.now();
      const record = requestOf({ request_id, machine_count, created_at: now, next_at: now - 1_000, epoch: 0 });
      await store.commit([
        { op: 'insert', kind: 'request', record },
        { op: 'put', kind: 'attempt', record: attemptOf(1, { request_id }, machine_count) },
      ]);
      for (let n = 0; n < machine_count; n++)
        await store.commit([{ op: 'put', kind: 'machine', record: machineOf(`${request_id}-${n}`, { request_id }) }]);
    },
  };
}
