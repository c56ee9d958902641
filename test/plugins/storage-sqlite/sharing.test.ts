import { once } from 'node:events';
import test from 'ava';
import { aRequest, insert } from '../../../plugin-testkit/storage/records.ts';
import { ended, inProcess } from '../../support/storage-sqlite-beside.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';
import { aBroker } from '../../../plugin-testkit/storage/records.ts';

// Serial: what other tests do in this thread must not count.
test.serial('while another process holds the lock, readers read, writers wait and the thread continues', async (t) => {
  const path = freshPath();
  const store = await openFile(path);
  await store.commit([insert('request', aRequest('r-1'))]);
  const holder = inProcess({ path, name: '', act: 'hold', times: 300 });
  await once(holder.stdout ?? holder, 'data');

  const began = performance.now();
  let longest = 0;
  let before = began;
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - before);
    before = performance.now();
  }, 2);
  const writing = Promise.all(['r-2', 'r-3'].map((id) => store.commit([insert('request', aRequest(id))])));
  const claiming = store.claim(aBroker({ host: 'h' }), 1, 1_000);
  while (performance.now() - began < 150) {
    t.truthy(await store.get('request', { request_id: 'r-1' }));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  t.is(await store.get('request', { request_id: 'r-2' }), undefined);
  await writing;
  clearInterval(ticking);
  t.true(performance.now() - began > 200);
  t.true(longest < 150, `the thread stood still for ${longest} ms`);
  t.is((await claiming).length, 1);
  t.truthy(await store.get('request', { request_id: 'r-3' }));
  await ended(holder);
  await store.close();
});

test('a lock that is never released makes writes UNAVAILABLE in time, and nothing is written', async (t) => {
  const path = freshPath();
  const store = await openFile(path, undefined, 300);
  const holder = inProcess({ path, name: '', act: 'hold', times: 900 });
  await once(holder.stdout ?? holder, 'data');
  const error = await t.throwsAsync(store.commit([insert('request', aRequest('r-1'))]), {
    code: 'UNAVAILABLE',
    message: /holds its lock/,
  });
  t.deepEqual((error as unknown as { details: object }).details, {});
  await ended(holder);
  t.is(await store.count('request', {}), 0);
  await t.notThrowsAsync(store.commit([insert('request', aRequest('r-1'))]));
  await store.close();
});
