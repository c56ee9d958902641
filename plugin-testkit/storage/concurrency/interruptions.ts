import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { isBrokerError, type Store } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { eventually } from '../eventually.ts';
import { aMachine, aBroker, aRequest, insert } from '../records.ts';
import type { StorageSubject } from '../subject.ts';

type Outcome = 'stored' | 'refused' | 'unknown';

/** Checks of a storage that cannot serve for a moment. */
export function checkInterruptions({ when, opened }: Contract, { interrupt }: StorageSubject): void {
  const lacks = 'a way to `interrupt` the storage';

  when(
    interrupt,
    lacks,
    'amid interruptions each commit is stored, refused, or of an unknown outcome, and its answer says which',
    async (disturb, ending) => {
      const { store, place } = await opened(ending);
      const outcomes = new Map<string, Outcome>();
      let number = 0;
      const writers = { over: false };
      const write = async (): Promise<void> => {
        while (!writers.over) {
          const id = `r-${(number += 1)}`;
          outcomes.set(id, await outcomeOf(store, id));
        }
      };
      const writing = Promise.all(Array.from({ length: 8 }, write));
      try {
        // On a busy computer an interruption may meet no commit, and the next may come before anything is served
        // again: the pauses grow until there was both.
        const hadBoth = () => {
          const seen = [...outcomes.values()];
          return seen.includes('stored') && seen.some((outcome) => outcome !== 'stored');
        };
        for (let round = 0; round < 4 || (round < 60 && !hadBoth()); round += 1) {
          await after(20 + 10 * round);
          await disturb(place);
        }
      } finally {
        writers.over = true;
        await writing;
      }
      await served(store);
      const stored = new Set((await store.find('request', {})).map(({ request_id }) => request_id));
      const machines = new Set((await store.find('machine', {})).map(({ machine_id }) => machine_id));
      const wrong = [...outcomes].filter(
        ([id, outcome]) => outcome !== 'unknown' && (outcome === 'stored') !== stored.has(id),
      );
      assert.deepEqual(wrong, [], 'The answers to these commits were wrong.');
      assert.deepEqual(
        [...stored].filter((id) => outcomes.has(id) && !machines.has(id)),
        [],
        'A part of these commits is missing.',
      );
      assert.ok([...outcomes.values()].includes('stored'), 'No commit succeeded.');
      assert.ok(
        [...outcomes.values()].some((outcome) => outcome !== 'stored'),
        'No commit was refused: the interruptions had no effect.',
      );
    },
  );

  when(
    interrupt,
    lacks,
    'after an interruption everything goes on: claims are held, changes are noticed, nothing is lost',
    async (disturb, ending) => {
      const { store, place } = await opened(ending);
      await store.commit([insert('request', aRequest('r-1'))]);
      const [claim] = await store.claim(aBroker(), 1, 60_000);
      let heard = 0;
      using _watch = store.watch(() => (heard += 1));
      await disturb(place);
      await served(store);
      assert.deepEqual((await store.renew(aBroker(), 60_000)).claims, [{ request_id: 'r-1', epoch: claim?.epoch }]);
      const before = heard;
      await store.commit([insert('request', aRequest('r-2'))]);
      assert.ok(await eventually(() => heard > before), 'The watcher was not notified after the interruption.');
    },
  );
}

async function outcomeOf(store: Store, id: string): Promise<Outcome> {
  try {
    await store.commit([insert('request', aRequest(id)), insert('machine', aMachine(id))]);
    return 'stored';
  } catch (error) {
    assert.ok(isBrokerError(error) && error.code === 'UNAVAILABLE', `It must be UNAVAILABLE: ${String(error)}`);
    return error.details['outcome'] === 'unknown' ? 'unknown' : 'refused';
  }
}

/** Waits until the storage takes a commit again. */
async function served(store: Store): Promise<void> {
  for (let round = 0; ; round += 1) {
    const outcome = await outcomeOf(store, `after-${round}`);
    if (outcome === 'stored') return;
    assert.ok(round < 100, 'The storage does not serve again.');
    await after(50);
  }
}
