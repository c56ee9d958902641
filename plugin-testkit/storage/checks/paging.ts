import assert from 'node:assert/strict';
import type { RequestRecord, Store } from '../../../core/index.ts';
import type { Contract } from '../contract.ts';
import { aRequest, insert } from '../records.ts';

const rows = 100_000;
const together = 200;

/**
 * A hundred requests have the same time, and a quarter are pending. All keys have the same length, so that every
 * collation sorts them alike.
 */
const row = (n: number): RequestRecord =>
  aRequest(`r-${String(n).padStart(6, '0')}`, {
    created_at: (n * 7) % 1_000,
    status: n % 4 ? 'completed' : 'pending',
  });

/** Checks of reading a long list in pages. */
export function checkPaging({ check, opened }: Contract): void {
  check(
    'a hundred thousand requests are counted, and paged through over ties without a gap or a repeat',
    async (ending) => {
      const { store } = await opened(ending);
      await fill(store);
      const all = Array.from({ length: rows }, (_, n) => row(n)).toSorted(
        (a, b) => b.created_at - a.created_at || (a.request_id < b.request_id ? 1 : -1),
      );
      const ids = all.map(({ request_id }) => request_id);
      assert.equal(await store.count('request', {}), rows);
      assert.equal(await store.count('request', { status: 'pending' }), rows / 4);

      const order = [['created_at', 'desc']] as const;
      // Not a multiple of the ties, so that pages begin and end within them.
      const limit = 17_011;
      for (let offset = 0; offset < rows; offset += limit) {
        const page = await store.versions({ order, limit, offset });
        assert.ok(
          same(page, ids.slice(offset, offset + limit)),
          `The page of ${limit} from ${offset} has other requests than it should.`,
        );
      }
      assert.deepEqual(await store.versions({ order, limit: 10, offset: rows }), []);

      const deep = await store.find('request', { order, limit: 7, offset: rows - 30 });
      assert.deepEqual(
        deep,
        all.slice(rows - 30, rows - 23).map((each) => ({ ...each, version: 1 })),
      );
      const pending = all.filter(({ status }) => status === 'pending').map(({ request_id }) => request_id);
      const found = await store.find('request', { where: { status: 'pending' }, order, limit: 13, offset: 24_980 });
      assert.deepEqual(
        found.map(({ request_id }) => request_id),
        pending.slice(24_980, 24_993),
      );
    },
  );
}

async function fill(store: Store): Promise<void> {
  // Several at once: storages may write them as one group.
  const atOnce = 25;
  for (let from = 0; from < rows; from += atOnce * together) {
    await Promise.all(
      Array.from({ length: atOnce }, (_, i) =>
        store.commit(Array.from({ length: together }, (__, j) => insert('request', row(from + i * together + j)))),
      ),
    );
  }
}

const same = (page: readonly { readonly request_id: string }[], ids: readonly string[]): boolean =>
  page.length === ids.length && page.every(({ request_id }, i) => request_id === ids[i]);
