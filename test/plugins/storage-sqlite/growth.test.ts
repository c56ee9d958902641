import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Change, Store } from '../../../core/index.ts';
import { Retention } from '../../../core/reconciler/background/retention/retention.ts';
import { CleanUp } from '../../../core/requests/clean-up.ts';
import { LogWatch } from '../../../plugins/storage-sqlite/database/log-watch.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { aMachine, anAttempt, anEvent, aRequest, aSignal, insert } from '../../../plugin-testkit/storage/records.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';
import { aBroker } from '../../../plugin-testkit/storage/records.ts';

/** `MUSTER_TEST_REQUESTS=20000` makes it as many as a busy broker has in a while. */
const requests = Number(process.env['MUSTER_TEST_REQUESTS'] ?? 960);
const days = 64;
const day = 86_400_000;

test('requests that came and went leave a database that stops growing', async (t) => {
  t.timeout(600_000);
  // In memory, where there is such a place: thousands of commits need not be durable here.
  const directory = mkdtempSync(join(process.env['TEST_MEMORY'] ?? tmpdir(), 'muster-growth-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'muster.db');
  const clock = new FakeClock();
  const store = await openFile(path, clock);
  const cleanup = new CleanUp(store, clock);
  const retention = new Retention({ store, clock, settings: { lease_ms: 30_000 }, broker: aBroker });
  const sizes: number[] = [];
  for (let today = 0; today < days; today++) {
    await Promise.all(
      Array.from({ length: requests / days }, (_, i) => cameAndWent(store, `${today}-${i}`, clock.now())),
    );
    await clock.advance(day);
    await cleanup.requests(1);
    // As the loop does, round after round.
    for (
      let before = -1, events = await store.count('event', {});
      events !== before;
      [before, events] = [events, await store.count('event', {})]
    ) {
      await retention.run();
      await clock.advance(1_100);
    }
    sizes.push(sizeOf(path));
  }
  // Requests go after a day or two, their keys after two weeks at the latest, the journal after thirty days.
  const full = sizes[33] ?? 0;
  t.true(full > (sizes[0] ?? 0) * 1.5);
  t.true(Math.max(...sizes.slice(34)) <= full * 1.05, `pages after each day: ${sizes.join(' ')}`);
  t.true((await store.count('request', {})) <= (4 * requests) / days);
  t.true((await store.count('event', {})) <= (33 * 7 * requests) / days);
  t.true((await store.count('key', {})) <= (18 * requests) / days);
  await store.close();
});

/** One request with two machines, and the return that took them back. */
async function cameAndWent(store: Store, id: string, now: number): Promise<void> {
  const [request_id, return_id] = [`req-${id}`, `ret-${id}`];
  const over = { status: 'completed', holds: 0, created_at: now, completed_at: now, next_at: null } as const;
  const machine = { request_id, status: 'terminated', return_id, created_at: now, gone_at: now } as const;
  const changes: Change[] = [
    insert('request', aRequest(request_id, { ...over, message: 'm'.repeat(800) })),
    insert('request', aRequest(return_id, { ...over, kind: 'return', origins: [request_id] })),
    { op: 'put', kind: 'attempt', record: anAttempt(1, { request_id, token: id, message: 'm'.repeat(600) }) },
    insert('machine', aMachine(`i-${id}-1`, machine)),
    insert('machine', aMachine(`i-${id}-2`, machine)),
    insert('signal', aSignal(`w-${id}`, { request_id, return_id, applied: true, created_at: now })),
    {
      op: 'insert',
      kind: 'key',
      record: { scope: 's', key: id, fingerprint: 'f'.repeat(64), request_id, created_at: now },
    },
    ...['requested', 'launched', 'completed', 'returned', 'gone'].map((type) =>
      insert('event', anEvent({ request_id, at: now, type })),
    ),
  ];
  await store.commit(changes);
}

function sizeOf(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
  database.close();
  return pages;
}

test('a long reader makes the log grow, which is logged once; afterwards the log shrinks by itself', async (t) => {
  const path = freshPath();
  const store = await openFile(path);
  const warned: string[] = [];
  const nothing = () => {};
  const watch = () =>
    new LogWatch(
      path,
      { debug: nothing, info: nothing, error: nothing, warn: (_, message) => warned.push(message) },
      32 * 2 ** 20,
    );
  const big = (id: string) =>
    store.commit(
      Array.from({ length: 100 }, (_, i) =>
        insert('request', aRequest(`${id}-${i}`, { message: 'x'.repeat(50_000) })),
      ),
    );
  const logSize = () => statSync(`${path}-wal`).size / 2 ** 20;
  await store.commit([insert('request', aRequest('r-1'))]);
  watch().wrote();

  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN; SELECT count(*) FROM request');
  reader.prepare('SELECT * FROM request').all();
  for (let i = 0; i < 16; i++) await big(`during-${i}`);
  t.true(logSize() > 70, `${logSize()} MiB`);
  t.deepEqual(warned, []);
  const one = watch();
  one.wrote();
  one.wrote();
  t.is(warned.length, 1);
  t.regex(
    warned[0] ?? '',
    /grown to \d+ MiB because a program has read the database for a long time.*shrinks by itself/,
  );

  reader.close();
  for (let i = 0; i < 2; i++) await big(`after-${i}`);
  t.true(logSize() <= 64, `${logSize()} MiB`);
  await store.close();
});
