import assert from 'node:assert/strict';
import type { Change, Store } from '../../../core/index.ts';
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
