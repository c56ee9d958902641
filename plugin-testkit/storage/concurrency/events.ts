import assert from 'node:assert/strict';
import type { Change, Query, Store } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aMachine, anEvent, aRequest, insert } from '../records.ts';

const writers = 12;
const commitsEach = 12;

/** Commits of different sizes: the longer ones begin before shorter ones and end after them. */
function changesOf(writer: number, commit: number): readonly Change[] {
  const name = `${writer}-${commit}`;
  const count = 1 + ((writer * 7 + commit * 3) % 5);
  return [
    ...Array.from({ length: (writer * 5 + commit) % 9 }, (_, i) => insert('machine', aMachine(`m-${name}-${i}`))),
    ...Array.from({ length: count }, (_, i) => insert('event', anEvent({ type: `e-${name}-${i}` }))),
    insert('request', aRequest(`r-${name}`)),
  ];
}

/** Checks of the journal under concurrent commits. */
export function checkEvents({ check, opened, shared }: Contract): void {
  check('events are found by type and by request, in parts, in both directions', async (ending) => {
    const { store } = await opened(ending);
    const actor = { interface: 'cli', user: 'alice' } as const;
    const whole = anEvent({ type: 'e-1', request_id: 'r-1', machine_id: 'm-1', provider_instance: 'east', actor });
    await store.commit([
      insert('event', whole),
      insert('event', anEvent({ type: 'e-2', request_id: 'r-1' })),
      insert('event', anEvent({ type: 'e-1' })),
      insert('event', anEvent({ type: 'e-1', request_id: 'r-2' })),
      insert('event', anEvent({ type: 'e-3', request_id: 'r-1' })),
    ]);
    const all = await store.find('event', {});
    const first = all[0]?.seq ?? 0;
    assert.deepEqual(all[0], { ...whole, seq: first });
    type Where = NonNullable<Query<'event'>['where']>;
    const places = async (where: Where, direction: 'asc' | 'desc' = 'asc', limit = 10) => {
      const found = await store.find('event', { where, order: [['seq', direction]], limit });
      return found.map(({ seq }) => seq - first + 1);
    };
    assert.deepEqual(await places({ type: 'e-1' }), [1, 3, 4]);
    assert.deepEqual(await places({ type: 'e-1', seq: { after: first } }, 'asc', 1), [3]);
    assert.deepEqual(await places({ type: 'e-1', seq: { before: first + 3 } }, 'desc', 1), [3]);
    assert.deepEqual(await places({ request_id: 'r-1', seq: { after: first } }), [2, 5]);
    assert.deepEqual(await places({ request_id: 'r-1' }, 'desc', 2), [5, 2]);
    assert.deepEqual(await places({ request_id: ['r-1', 'r-2'], seq: { after: first + 1 } }), [4, 5]);
  });

  check('a reader of the journal that goes on behind the last event it saw skips none', async (ending) => {
    const { store, open } = await opened(ending);
    const stores = shared ? [store, await open(), await open()] : [store];
    let writing = true;
    const seen: string[] = [];
    const read = async (reader: Store): Promise<void> => {
      for (let last = 0, more = true; more; ) {
        // Events that are committed during this read are found by the next one.
        more = writing;
        const found = await reader.find('event', { where: { seq: { after: last } }, order: [['seq', 'asc']] });
        seen.push(...found.map(({ type }) => type));
        last = found.at(-1)?.seq ?? last;
        // Reads of some storages never leave this turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const reading = read(stores.at(-1) ?? store);
    try {
      await Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          for (let commit = 0; commit < commitsEach; commit += 1)
            await stores[writer % stores.length]?.commit(changesOf(writer, commit));
        }),
      );
    } finally {
      writing = false;
      await reading;
    }
    const all = await store.find('event', { order: [['seq', 'asc']] });
    assert.deepEqual(
      seen,
      all.map(({ type }) => type),
      'An event became visible below one that was visible before.',
    );
  });
}
