import test from 'ava';
import { aRequest, insert } from '../../support/storage-records.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';

test('a hundred thousand requests can be paged through and counted', async (t) => {
  const store = await openFile(freshPath());
  const commits = Array.from({ length: 500 }, (_, i) =>
    store.commit(
      Array.from({ length: 200 }, (_, j) => {
        const n = i * 200 + j;
        return insert('request', aRequest(`r-${n}`, { created_at: n % 1_000, status: n % 4 ? 'completed' : 'pending' }));
      }),
    ),
  );
  await Promise.all(commits);
  t.is(await store.count('request', {}), 100_000);
  t.is(await store.count('request', { status: 'pending' }), 25_000);
  const seen = new Set<string>();
  for (let offset = 0; offset < 100_000; offset += 2_000) {
    const page = await store.versions({ order: [['created_at', 'desc']], limit: 2_000, offset });
    for (const { request_id } of page) seen.add(request_id);
  }
  t.is(seen.size, 100_000);
  await store.close();
});
