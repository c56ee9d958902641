import { hasEnded, reportEnd } from '../../core/reconciler/claims/report-end.ts';
import type { Log } from '../../core/contract/log.ts';
import type { Change, Store } from '../../core/contract/storage.ts';
import { currentCall, type CallContext } from '../http/call-context.ts';
import type { EventRecord } from '../../core/model/records.ts';

/**
 * Wraps the store for the interfaces: events of a call get its actor and its `x_request_id`, and a request that ends
 * at its creation is reported as ended. Commits of the loop belong to no call.
 */
export function interfaceStore(store: Store, log: Log): Store {
  return {
    get: store.get.bind(store),
    find: store.find.bind(store),
    count: store.count.bind(store),
    changes: store.changes.bind(store),
    versions: store.versions.bind(store),
    ...(store.sizes ? { sizes: store.sizes.bind(store) } : {}),
    reserved: store.reserved.bind(store),
    async commit(changes) {
      const committed = await store.commit(withCall(changes));
      for (const change of changes)
        if (change.op === 'insert' && change.kind === 'request' && hasEnded(undefined, change.record))
          reportEnd(log, change.record);
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

function withCall(changes: readonly Change[]): readonly Change[] {
  const call = currentCall();
  if (!call) return changes;
  return changes.map((change) =>
    change.op === 'insert' && change.kind === 'event' ? { ...change, record: ofCall(change.record, call) } : change,
  );
}

const ofCall = (event: EventRecord, { actor, x_request_id }: CallContext): EventRecord => ({
  ...event,
  actor,
  data: x_request_id === undefined ? event.data : { ...event.data, x_request_id },
});
