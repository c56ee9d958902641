import assert from 'node:assert/strict';
import type { Contract } from '../contract.ts';
import { aRequest, insert } from '../records.ts';
import { assertRefused } from '../assert-refused.ts';
import { served } from '../served.ts';

/** The contract of the change `limit`. */
export function checkLimits({ check, opened, shared }: Contract): void {
  check(
    'limit counts what all requests of the template hold before the commit, itself not counted',
    async (ending) => {
      const { store } = await opened(ending);
      const ask = (id: string, count: number, max: number, template_id = 'small') =>
        store.commit([
          insert('request', aRequest(id, { holds: count, template_id })),
          { op: 'limit', template_id, machine_count: count, max },
        ]);
      await ask('r-1', 3, 5);
      await assertRefused(ask('r-2', 3, 5), 'INSTANCE_LIMIT_EXCEEDED');
      await ask('r-3', 2, 5);
      await ask('r-4', 5, 5, 'large');
      await assertRefused(ask('r-5', 1, 5), 'INSTANCE_LIMIT_EXCEEDED');
      await store.commit([
        { op: 'fence', request_id: 'r-1', epoch: 0 },
        { op: 'put', kind: 'request', record: aRequest('r-1', { holds: 0 }) },
      ]);
      await ask('r-5', 3, 5);
      await assertRefused(ask('r-6', 1, 0, 'none'), 'INSTANCE_LIMIT_EXCEEDED');
      assert.equal(await store.count('request', {}), 4);
    },
  );

  check('limit holds for fifty commits at once', async (ending) => {
    const { store, open } = await opened(ending);
    const stores = [store, shared ? await open() : store];
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        served(() =>
          (stores[i % 2] ?? store).commit([
            { op: 'limit', template_id: 'small', machine_count: 2, max: 20 },
            insert('request', aRequest(`r-${i}`, { holds: 2 })),
          ]),
        ),
      ),
    );
    assert.equal(results.filter((each) => each.status === 'fulfilled').length, 10);
    assert.equal(await store.count('request', {}), 10);
  });
}
