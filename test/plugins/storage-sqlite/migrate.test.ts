import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'ava';
import { applicationId } from '../../../plugins/storage-sqlite/database/schema-version.ts';
import { fingerprint, migrations } from '../../../plugins/storage-sqlite/migrations/index.ts';
import { aRequest } from '../../../plugin-testkit/storage/records.ts';
import { checkHeldBefore, heldBefore } from '../../support/held-before.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';

test('a database of the first version keeps its machines, which can be asked for by their market afterwards', async (t) => {
  const path = freshPath();
  mkdirSync(dirname(path));
  const old = new DatabaseSync(path);
  old.exec(migrations[0] ?? '');
  old.exec(`INSERT INTO counter VALUES ('schema', '', '', ${fingerprint(1)})`);
  old.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 1`);
  const insert = old.prepare(
    'INSERT INTO machine (provider_instance, machine_id, request_id, status, created_at, doc) VALUES (?, ?, ?, ?, ?, ?)',
  );
  for (const [machine_id, market] of [
    ['i-1', 'spot'],
    ['i-2', 'on-demand'],
    ['i-3', undefined],
  ] as const) {
    const record = {
      provider_instance: 'east',
      machine_id,
      request_id: 'req-1',
      attempt: 1,
      status: 'running',
      created_at: 1,
      misses: 0,
      market,
    };
    insert.run('east', machine_id, 'req-1', 'running', 1, JSON.stringify(record));
  }
  old.close();
  const store = await openFile(path);
  t.teardown(() => store.close());
  const found = await store.find('machine', { where: { market: 'spot' } });
  t.deepEqual(
    found.map(({ machine_id }) => machine_id),
    ['i-1'],
  );
  t.is(await store.count('machine', { market: null }), 1);
  t.is(await store.count('machine', { status: 'running' }), 3);
});

test('a filled database of a version without budgets counts what its requests hold', async (t) => {
  const path = freshPath();
  mkdirSync(dirname(path));
  const old = new DatabaseSync(path);
  for (const step of migrations.slice(0, 4)) old.exec(step);
  old.exec(`INSERT INTO counter VALUES ('schema', '', '', ${fingerprint(4)})`);
  old.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = 4`);
  const insert = old.prepare(
    'INSERT INTO request (request_id, kind, status, template_id, provider_instance, holds, created_at, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  for (const [id, kind, provider_instance, holds] of heldBefore) {
    const record = { ...aRequest(id, { kind, provider_instance, holds }), template_id: 'small' };
    insert.run(id, kind, record.status, 'small', provider_instance, holds, record.created_at, JSON.stringify(record));
  }
  old.close();
  const store = await openFile(path);
  t.teardown(() => store.close());
  await checkHeldBefore(t, store);
});
