import assert from 'node:assert/strict';
import { nothingReserved } from '../../../core/index.ts';
import type { Change, Code } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aMachine, anAttempt, anEvent, aRequest, aTemplate, aSignal, insert, reserving } from '../records.ts';
import { assertRefused } from '../assert-refused.ts';
import { snapshot } from '../snapshot.ts';

const there = [
  insert('request', aRequest('r-1')),
  insert('machine', aMachine('m-1')),
  insert('machine', aMachine('m-2')),
  insert('template', aTemplate('small')),
  insert('signal', aSignal('w-1')),
];

/** One of each operation; together they cover every kind of change in a commit. */
const good: readonly Change[] = [
  insert('request', aRequest('r-2', { holds: 1, reserves: reserving(2) })),
  { op: 'put', kind: 'signal', record: aSignal('w-1', { applied: true }) },
  { op: 'delete', kind: 'machine', key: { provider_instance: 'east', machine_id: 'm-1' } },
  { op: 'update', kind: 'template', record: aTemplate('small', { fields: { a: 1 } }), version: 1 },
  { op: 'insert', kind: 'attempt', record: anAttempt(1) },
  { op: 'add', kind: 'fact', key: { topic: 'statistics', name: 'east', item: '' }, amounts: { asked: 1 }, at: 1 },
  insert('event', anEvent()),
  { op: 'fence', request_id: 'r-1', epoch: 0 },
];

const bad: readonly (readonly [string, Change, Code])[] = [
  ['a fence that is stale', { op: 'fence', request_id: 'r-1', epoch: 7 }, 'CONFLICT'],
  ['an insert of what is there', insert('machine', aMachine('m-2')), 'ALREADY_EXISTS'],
  ['an update of another version', { op: 'update', kind: 'request', record: aRequest('r-1'), version: 9 }, 'CONFLICT'],
  [
    'a delete of another version',
    { op: 'delete', kind: 'request', key: { request_id: 'r-1' }, version: 9 },
    'CONFLICT',
  ],
  ['a limit', { op: 'limit', template_id: 'small', machine_count: 1, max: 0 }, 'INSTANCE_LIMIT_EXCEEDED'],
  ['a slot', { op: 'slot', provider_instance: 'east', request_id: 'r-1', max: 0 }, 'INSTANCE_BUSY'],
  [
    'a budget',
    { op: 'budget', name: 'team', scope: {}, bounds: { max_machines: 1, asked: { ...nothingReserved, machines: 2 } } },
    'BUDGET_EXCEEDED',
  ],
];

/** Checks that a refused commit has no effect, wherever the refused change is in the commit. */
export function checkAtomicity({ check, opened }: Contract): void {
  for (const [name, change, code] of bad) {
    check(`a commit that is refused for ${name} leaves nothing behind, wherever in it that stands`, async (ending) => {
      const { store } = await opened(ending);
      await store.commit(there);
      const before = await snapshot(store);
      for (let at = 0; at <= good.length; at += 1) {
        await assertRefused(store.commit([...good.slice(0, at), change, ...good.slice(at)]), code);
        assert.deepEqual(await snapshot(store), before, `with the refused change as number ${at + 1} of the commit`);
      }
      await assertRefused(store.commit([...good.toReversed(), change]), code);
      assert.deepEqual(await snapshot(store), before, 'with the other changes in reverse order');
      await store.commit(good);
      assert.equal(
        (await store.get('template', { template_id: 'small' }))?.version,
        2,
        'without the refused change it is taken',
      );
    });
  }
}
