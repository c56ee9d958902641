import { once } from 'node:events';
import test from 'ava';
import type { Kind } from '../../../core/index.ts';
import { aTemplate, aRequest, insert } from '../../support/storage-records.ts';
import { ended, inProcess, inThread } from '../../support/storage-sqlite-beside.ts';
import { soon } from '../../support/storage-contract-life.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';

test('two processes and two threads write at once: no update is lost, nobody is turned away', async (t) => {
  const path = freshPath();
  const store = await openFile(path);
  await store.commit([insert('template', aTemplate('counter', { fields: { n: 0 } }))]);
  await Promise.all([
    ended(inProcess({ path, name: 'p1', act: 'raise', times: 40 })),
    ended(inProcess({ path, name: 'p2', act: 'raise', times: 40 })),
    inThread({ path, name: 't1', act: 'raise', times: 40 }),
    inThread({ path, name: 't2', act: 'raise', times: 40 }),
  ]);
  const counter = await store.get('template', { template_id: 'counter' });
  t.is(counter?.fields['n'], 160);
  t.is(counter?.version, 161);
  t.is(await store.count('request', { status: 'pending' }), 160);
  t.is((await store.find('request', {})).length, 160);
  await store.close();
});

test('several processes open a fresh file at once', async (t) => {
  const path = freshPath();
  const tasks = [1, 2, 3, 4, 5].map((i) => ended(inProcess({ path, name: `p${i}`, act: 'open', times: 0 })));
  await t.notThrowsAsync(Promise.all(tasks));
  const store = await openFile(path);
  t.is(await store.count('request', {}), 0);
  await store.close();
});

// Serial: what other tests do in this thread must not count.
test.serial('while another process holds the lock, readers read, writers wait and the thread goes on', async (t) => {
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
  const claiming = store.claim({ host: 'h', boot: 'b', pid: 1, started: 1, thread: 1 }, 1, 1_000);
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

test('a lock that nobody lets go of makes writes UNAVAILABLE in time, and nothing is written', async (t) => {
  const path = freshPath();
  const store = await openFile(path, undefined, 300);
  const holder = inProcess({ path, name: '', act: 'hold', times: 900 });
  await once(holder.stdout ?? holder, 'data');
  const error = await t.throwsAsync(store.commit([insert('request', aRequest('r-1'))]), { code: 'UNAVAILABLE', message: /locked/ });
  t.deepEqual((error as unknown as { details: object }).details, {});
  await ended(holder);
  t.is(await store.count('request', {}), 0);
  await t.notThrowsAsync(store.commit([insert('request', aRequest('r-1'))]));
  await store.close();
});

test('a watcher hears within a second of what another process committed, with exactly its kinds', async (t) => {
  const path = freshPath();
  const store = await openFile(path);
  await store.commit([insert('template', aTemplate('counter', { fields: { n: 0 } }))]);
  const heard = new Set<Kind>();
  using _watch = store.watch((kinds) => kinds.forEach((kind) => heard.add(kind)));
  await ended(inProcess({ path, name: 'p1', act: 'raise', times: 4 }));
  t.true(await soon(() => heard.size === 2));
  t.deepEqual([...heard].toSorted(), ['request', 'template']);
  await store.close();
});

test('a store that is open does not keep its process alive', async (t) => {
  const child = inProcess({ path: freshPath(), name: 'p', act: 'leave', times: 0 });
  await t.notThrowsAsync(ended(child));
});
