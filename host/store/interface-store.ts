import { reportEnd } from '../../core/reconciler/claims/report-end.ts';
import type { Log } from '../../core/contract/log.ts';
import type { Change, Store } from '../../core/contract/storage.ts';
import { callId } from '../http/call-context.ts';

/**
 * The store as faces use it: what a call writes into the journal carries the call's `x_request_id`, and a return that
 * has nothing to wait for is told as ended. The loop's own commits belong to no call. /
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
      const committed = await store.commit(noted(changes));
      for (const change of changes)
        if (change.op === 'insert' && change.kind === 'request') reportEnd(log, undefined, change.record);
      return committed;
    },
    claim: store.claim.bind(store),
    renew: store.renew.bind(store),
    yield: store.yield.bind(store),
    watch: store.watch.bind(store),
    ...(store.ready ? { ready: store.ready.bind(store) } : {}),
    close: store.close.bind(store),
  };
}

function noted(changes: readonly Change[]): readonly Change[] {
  const x_request_id = callId();
  if (x_request_id === undefined) return changes;
  return changes.map((change) =>
    change.op === 'insert' && change.kind === 'event'
      ? { ...change, record: { ...change.record, data: { ...change.record.data, x_request_id } } }
      : change,
  );
}
