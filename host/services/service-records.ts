import { BrokerError, isBrokerError } from '../../core/contract/errors.ts';
import type { ServiceRecord, ServiceRecordChange, ServiceRecords } from '../../core/contract/service/service.ts';
import type { Change, Fence, Store } from '../../core/contract/storage.ts';
import type { Clock } from '../../core/contract/clock.ts';
import type { FactRecord } from '../../core/model/records.ts';

/** Each change writes two rows, and a transaction writes at most 200. */
const mostChanges = 90;

/**
 * The records of a service, as facts: one row for each version, so that the insertion of a version fails when another
 * writer was first. `fence`: a condition of every commit, for a job.
 */
export function serviceRecords(service: string, store: Store, clock: Clock, fence?: () => Fence): ServiceRecords {
  const topic = `service:${service}`;
  const conditions = (): readonly Change[] => (fence ? [fence()] : []);
  return {
    get: async (key) => latest(await store.find('fact', { where: { topic, name: key } }))[0],
    list: async () => latest(await store.find('fact', { where: { topic } })),
    async commit(changes) {
      if (changes.length > mostChanges)
        throw new BrokerError(
          'INVALID_REQUEST',
          `A commit has at most ${mostChanges} records, not ${changes.length}.`,
        );
      try {
        await store.commit([...conditions(), ...changes.flatMap((change) => rowsOf(topic, change, clock.now()))]);
      } catch (error) {
        if (!isBrokerError(error) || error.code !== 'ALREADY_EXISTS') throw error;
        throw new BrokerError('CONFLICT', `A record of '${service}' changed meanwhile.`, {}, { cause: error });
      }
    },
    remove: ({ key, version }) => store.commit([...conditions(), removed(topic, key, version)]),
  };
}

const removed = (topic: string, name: string, version: number): Change => ({
  op: 'delete',
  kind: 'fact',
  key: { topic, name, item: String(version) },
});

function rowsOf(topic: string, { key: name, version, value }: ServiceRecordChange, at: number): Change[] {
  const record: FactRecord = { topic, name, item: String(version + 1), value, at };
  return [{ op: 'insert', kind: 'fact', record }, ...(version > 0 ? [removed(topic, name, version)] : [])];
}

/** The last version of each record. */
function latest(rows: readonly FactRecord[]): ServiceRecord[] {
  const found = new Map<string, ServiceRecord>();
  for (const { name: key, item, value } of rows) {
    const version = Number(item);
    if ((found.get(key)?.version ?? 0) < version) found.set(key, { key, version, value });
  }
  return [...found.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
