import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import test from 'ava';
import { countQuery, kinds, selectQuery, type Kind } from '../../../core/index.ts';
import { byCreation } from '../../../core/requests/queries/machine-order.ts';
import { olderWaiters, openRequests } from '../../../plugins/storage-sqlite/database/bounds.ts';
import { sqliteDialect } from '../../../plugins/storage-sqlite/queries/dialect.ts';
import { freshPath, openFile } from '../../support/storage-sqlite-file.ts';

let database: DatabaseSync;
test.before(async () => {
  const path = freshPath();
  await (await openFile(path)).close();
  database = new DatabaseSync(path, { readOnly: true });
});
test.after.always(() => database.close());

for (const [kind, { key, columns, indexes }] of Object.entries(kinds)) {
  test(`the table of ${kind} has every column and index that the kind asks for`, (t) => {
    const present = new Set(
      database
        .prepare(`PRAGMA table_info("${kind}")`)
        .all()
        .map((column) => column['name']),
    );
    t.deepEqual(
      [...key, ...columns].filter((column) => !present.has(column)),
      [],
    );
    const led = database
      .prepare(`PRAGMA index_list("${kind}")`)
      .all()
      .map(({ name }) =>
        database
          .prepare(`PRAGMA index_info("${name}")`)
          .all()
          .map((column) => column['name']),
      );
    for (const index of indexes) {
      // The rowid table is in the order of an integer key by itself.
      const serves = led.some((each) => index.every((column, i) => each[i] === column));
      t.true(serves || index.join() === key.join(), `an index for ${index.join(', ')}`);
    }
  });
}

const pages: readonly (readonly [string, Kind, object])[] = [
  ['all requests, newest first', 'request', { order: [['created_at', 'desc']], limit: 50 }],
  ['requests of a status', 'request', { where: { status: 'failed' }, order: [['created_at', 'desc']], limit: 50 }],
  [
    'returns of a status',
    'request',
    { where: { kind: 'return', status: 'pending' }, order: [['created_at', 'asc']], limit: 50 },
  ],
  [
    'requests of a template',
    'request',
    { where: { template_id: 'small' }, order: [['created_at', 'desc']], limit: 50 },
  ],
  ['machines of a request', 'machine', { where: { request_id: 'r' }, order: byCreation }],
  ['living machines', 'machine', { where: { gone_at: null }, order: byCreation, limit: 50 }],
  ['all machines', 'machine', { order: byCreation, limit: 50 }],
  ['machines by id', 'machine', { where: { machine_id: 'm' } }],
  ['machines by name', 'machine', { where: { name: 'n' } }],
  ['machines of a return', 'machine', { where: { return_id: 'r' } }],
  ['machines of a status', 'machine', { where: { status: 'running' }, limit: 50 }],
  ['signals of a request', 'signal', { where: { request_id: 'r' } }],
  ['events of a request', 'event', { where: { request_id: 'r' }, order: [['seq', 'asc']], limit: 50 }],
  ['facts that ended', 'fact', { where: { until: { before: 5 } }, order: [['until', 'asc']] }],
];
for (const [name, kind, query] of pages) {
  test(`${name} are read in the order of an index, without sorting`, (t) => {
    const { sql, values } = selectQuery(sqliteDialect, 'doc', kind, query);
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map((step) => String(step['detail']));
    t.true(
      plan.every((step) => /USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY/.test(step)),
      plan.join('; '),
    );
  });
}

const watched = countQuery(sqliteDialect, 'machine', { return_id: 'r', gone_at: null });
const covered: readonly (readonly [string, string, readonly (SQLInputValue | Record<string, SQLInputValue>)[]])[] = [
  ['the machines of a return that live', watched.sql, watched.values],
  ['who has an active attempt at an instance', openRequests, [{ request_id: 'r', provider_instance: 'east' }]],
  [
    'who waits longer for an instance',
    olderWaiters,
    [{ request_id: 'r', provider_instance: 'east', created_at: 5, free: 1 }],
  ],
];
for (const [name, sql, values] of covered) {
  test(`${name} are counted in an index, without reading their records`, (t) => {
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...(values as SQLInputValue[]))
      .map((step) => String(step['detail']))
      .filter((step) => /\b(SCAN|SEARCH)\b/.test(step));
    t.true(
      plan.length > 0 && plan.every((step) => /SEARCH .* USING COVERING INDEX|SCAN \(subquery/.test(step)),
      plan.join('; '),
    );
  });
}
