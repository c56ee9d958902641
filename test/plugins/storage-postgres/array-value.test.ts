import test from 'ava';
import fc from 'fast-check';
import pg from 'pg';
import { numberArray, textArray } from '../../../plugins/storage-postgres/database/array-value.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
});
test.after.always(() => database.remove());

/** Any text that UTF-8 and PostgreSQL have: no half of a surrogate pair, no NUL. */
const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }).map((each) => each.replaceAll('\0', '')),
  fc.constantFrom('', 'NULL', '{}', '"\\', 'é'.repeat(47), '€'.repeat(48), '😀'.repeat(24), 'x'.repeat(48)),
);

test('PostgreSQL reads the values of an array as they are', async (t) => {
  const client = new pg.Client({ connectionString: database.server.url });
  await client.connect();
  t.teardown(() => client.end());
  const read = async (array: Buffer | string, type: string): Promise<unknown> => {
    const { rows } = await client.query(`SELECT array_to_json($1::${type}[]) AS read`, [array]);
    return (rows[0] as { read: unknown }).read;
  };
  const large = ['a'.repeat(70_000), null, '€'.repeat(70_000), '', 'last'];
  t.deepEqual(await read(textArray(large), 'text'), large);
  t.deepEqual(await read(textArray([]), 'text'), []);
  t.deepEqual(await read(textArray([1, '2', null]), 'text'), ['1', '2', null]);
  t.deepEqual(await read(numberArray([1, null, -3]), 'bigint'), [1, null, -3]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { maxLength: 30 }), async (values) => {
      t.deepEqual(await read(textArray(values), 'text'), values);
    }),
  );
  // Each array has memory of its own.
  const first = textArray(['one']);
  textArray(['two']);
  t.deepEqual(await read(first, 'text'), ['one']);
});
