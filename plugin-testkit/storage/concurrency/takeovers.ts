import assert from 'node:assert/strict';
import { isBrokerError, type Change, type Store } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aMachine, aBroker, aRequest, insert } from '../records.ts';

const requests = 40;

/** Checks of a holder that writes while another one takes its request over. */
export function checkTakeovers({ check, opened, shared }: Contract): void {
  check(
    'a commit under an old epoch is refused, also when it began before the take-over: what the new holder reads stays',
    async (ending) => {
      const { store, open, time } = await opened(ending);
      const other = shared ? await open() : store;
      const ids = Array.from({ length: requests }, (_, i) => `r-${i}`);
      await store.commit(ids.map((id) => insert('request', aRequest(id))));
      const held = await store.claim(aBroker({ host: 'far' }), requests, 1_000);
      assert.equal(held.length, requests);
      await time.pass(1_000);
      const late = held.map(({ request_id, epoch }, i) => write(store, request_id, epoch, i % 8));
      const taken = await other.claim(aBroker({ host: 'near' }), requests, 1_000);
      const read = await Promise.all(taken.map(({ request_id }) => other.get('request', { request_id })));
      const machines = new Set((await other.find('machine', {})).map(({ request_id }) => request_id));
      const outcomes = new Map(await Promise.all(late));
      for (const request of read) {
        const id = request?.request_id ?? '';
        const there = await other.get('request', { request_id: id });
        assert.equal(
          there?.message,
          request?.message,
          `${id} was changed under the old epoch after it was taken over.`,
        );
        assert.equal(outcomes.get(id), there?.message === 'late', `${id}: the answer to its old holder is wrong.`);
        assert.equal(
          machines.has(id),
          there?.message === 'late',
          `${id}: a part of the late commit is missing, or came later.`,
        );
      }
    },
  );
}

/** Whether the commit of the old holder was accepted. `turns`: how much later than the others it begins. */
async function write(store: Store, id: string, epoch: number, turns: number): Promise<readonly [string, boolean]> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const changes: readonly Change[] = [
    insert('machine', aMachine(`m-${id}`, { request_id: id })),
    { op: 'fence', request_id: id, epoch },
    { op: 'put', kind: 'request', record: aRequest(id, { message: 'late' }) },
  ];
  for (let tries = 0; ; tries += 1) {
    try {
      await store.commit(changes);
      return [id, true];
    } catch (error) {
      // A busy machine may not get a connection in time: nothing of the commit was begun.
      const isUnbegun = isBrokerError(error) && error.code === 'UNAVAILABLE' && error.details['outcome'] === undefined;
      if (isUnbegun && tries < 3) continue;
      assert.ok(isBrokerError(error) && error.code === 'CONFLICT', String(error));
      return [id, false];
    }
  }
}
