import { hasEnded, reportEnd } from '../../core/reconciler/claims/report-end.ts';
import type { Log } from '../../core/contract/log.ts';
import type { Change, Store } from '../../core/contract/storage.ts';
import { callId } from '../http/call-context.ts';

/**
 * Wraps the store for the interfaces: events of a call get its `x_request_id`, and a request that ends at its creation
 * is reported as ended. Commits of the loop belong to no call.
 */
export function interfaceStore(store: Store, log: Log): Store {
  return {
    get: store.get.bind(store),
    find: store.find.bind(store),
    count: store.count.bind(store),
    changes: store.changes.bind(store),
    versions: store.versions.bind(store),
    ...(store.sizes ? { sizes: store.sizes.bind(store) } : {}),
    async commit(changes) {
      const committed = await store.commit(withCallId(changes));
      for (const change of changes)
        if (change.op === 'insert' && change.kind === 'request') {
          if (hasEnded(undefined, change.record)) reportEnd(log, change.record);
        }
      return committed;
    },
    claim: store.claim.bind(store),
    renew: store.renew.bind(store),
    yield: store.yield.bind(store),
    leave: store.leave.bind(store),
    brokers: store.brokers.bind(store),
    job: store.job.bind(store),
    freeJob: store.freeJob.bind(store),
    watch: store.watch.bind(store),
    ...(store.ready ? { ready: store.ready.bind(store) } : {}),
    close: store.close.bind(store),
  };
}

function withCallId(changes: readonly Change[]): readonly Change[] {
  const x_request_id = callId();
  if (x_request_id === undefined) return changes;
  return changes.map((change) =>
    change.op === 'insert' && change.kind === 'event'
      ? { ...change, record: { ...change.record, data: { ...change.record.data, x_request_id } } }
      : change,
  );
}
