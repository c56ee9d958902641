import test, { type ExecutionContext } from 'ava';
import { numberArray, textArray } from '../../../plugins/storage-postgres/database/array-value.ts';
import { Connection, FlightError } from '../../../plugins/storage-postgres/connections/connection.ts';
import type { Statement } from '../../../plugins/storage-postgres/connections/statement.ts';
import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase();
  const connection = await Connection.open({ connectionString: database.server.url });
  await connection.run([
    { text: 'CREATE TABLE kept (n int PRIMARY KEY)' },
    { text: 'CREATE TABLE paired (n int REFERENCES kept DEFERRABLE INITIALLY DEFERRED)' },
  ]);
  await connection.close();
});
test.after.always(() => database.remove());

const begin: Statement = { text: 'BEGIN' };
const commit: Statement = { text: 'COMMIT' };
const keep = (n: number): Statement => ({ text: 'INSERT INTO kept VALUES ($1::int)', values: [n] });
const transaction = (...statements: readonly Statement[]) => [begin, ...statements, commit];

async function opened(t: ExecutionContext, prepares = true): Promise<Connection> {
  const connection = await Connection.open({ connectionString: database.server.url }, { prepares });
  t.teardown(() => connection.close());
  return connection;
}

const failure = async (promise: Promise<unknown>): Promise<FlightError> =>
  promise.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: FlightError) => error,
  );

const keptOf = async (connection: Connection, from: number): Promise<unknown> => {
  const [rows = []] = await connection.run([
    { text: 'SELECT n FROM kept WHERE n BETWEEN $1::int AND $1::int + 99 ORDER BY n', values: [from] },
  ]);
  return rows.map(([n]) => n);
};

for (const prepares of [true, false]) {
  const how = prepares ? 'prepared' : 'not prepared';

  test.serial(`${how}: a transaction answers the rows of each statement as texts, in order`, async (t) => {
    const connection = await opened(t, prepares);
    const awkward = [
      'plain',
      'a "quoted" \\ one',
      '{braces}, commas',
      'two\nlines\tand a tab',
      'ÿ€😀',
      '',
      'NULL',
      null,
    ];
    for (let time = 0; time < 3; time++) {
      const results = await connection.transact(
        transaction(
          { text: 'SELECT $1::text, $2::bigint, $3::text', values: ['a\n"b"\\', 12, null] },
          { text: 'SELECT * FROM unnest($1::text[])', values: [awkward] },
          { text: 'SELECT * FROM unnest($1::text[], $2::bigint[])', values: [textArray(awkward), numberArray([1])] },
          { text: 'SELECT sum(n)::int FROM unnest($1::numeric[]) AS n', values: [[1.5, 2, -0.5]] },
          { text: 'SELECT 1 WHERE false', values: [] },
        ),
      );
      t.deepEqual(results, [
        [],
        [['a\n"b"\\', '12', null]],
        awkward.map((each) => [each]),
        awkward.map((each, i) => [each, i === 0 ? '1' : null]),
        [['3']],
        [],
        [],
      ]);
    }
  });

  test.serial(
    `${how}: a statement that fails is named, leaves nothing, and spoils no later transaction`,
    async (t) => {
      const connection = await opened(t, prepares);
      const from = prepares ? 1_000 : 2_000;
      const behind = { text: `SELECT $1::int + ${from}`, values: [1] };
      for (const [statements, index, state] of [
        [transaction(keep(from), keep(from), behind), 2, '23505'],
        [transaction(keep(from), { text: 'SELECT 1 / $1::int', values: [0] }, behind), 2, '22012'],
        [transaction(keep(from), { text: 'SELECT nothing FROM nowhere', values: [] }, behind), 2, '42P01'],
        [transaction(keep(from), { text: 'INSERT INTO paired VALUES ($1::int)', values: [from + 1] }), 3, '23503'],
      ] as const) {
        const error = await failure(connection.transact(statements));
        t.true(error instanceof FlightError);
        t.deepEqual([error.index, error.answered, (error.cause as { code: string }).code], [index, true, state]);
        t.deepEqual(await keptOf(connection, from), []);
        t.deepEqual((await connection.transact(transaction(behind)))[1], [[String(from + 1)]]);
      }
      await connection.transact(transaction(keep(from)));
      t.deepEqual(await keptOf(connection, from), [from]);
    },
  );

  test.serial(`${how}: of a long transaction all is executed or nothing`, async (t) => {
    const connection = await opened(t, prepares);
    const from = prepares ? 3_000 : 4_000;
    const many = Array.from({ length: 70 }, (_, i) => keep(from + i));
    const error = await failure(connection.transact(transaction(...many, keep(from + 30))));
    t.deepEqual([error.index, error.answered], [71, true]);
    t.deepEqual(await keptOf(connection, from), []);
    const early = await failure(connection.transact(transaction(keep(from), keep(from), ...many)));
    t.is(early.index, 2);
    t.deepEqual(await keptOf(connection, from), []);
    t.is((await connection.transact(transaction(...many))).length, 72);
    t.is(((await keptOf(connection, from)) as unknown[]).length, 70);
  });
}

test.serial('a statement that was not prepared because an earlier one failed makes no pooler', async (t) => {
  const connection = await opened(t);
  const late: Statement = { text: 'SELECT $1::int + 77', values: [1] };
  const wrong: Statement = { text: 'SELECT 1 / $1::int', values: [0] };
  // So many that the next ones are answered by themselves.
  const many = Array.from({ length: 40 }, () => late);
  t.is((await failure(connection.transact(transaction(wrong, ...many)))).index, 1);
  t.deepEqual((await connection.transact(transaction(late)))[1], [['78']]);
  const [[[prepared] = []] = []] = await connection.run([
    { text: 'SELECT count(*) FROM pg_prepared_statements WHERE statement = $1', values: [late.text] },
  ]);
  t.is(prepared, 1);
});

test.serial('transactions and other statements of a connection are answered in the order of the calls', async (t) => {
  const connection = await opened(t);
  const answers: string[] = [];
  const note = (name: string) => (result: unknown) => void answers.push(`${name} ${JSON.stringify(result)}`);
  const one = (n: number) => ({ text: 'SELECT $1::int', values: [n] });
  await Promise.all([
    connection.transact(transaction(one(1))).then(note('a')),
    connection.run([one(2), one(3)]).then(note('b')),
    connection.transact(transaction(keep(9_000), keep(9_000))).catch(() => note('c')('failed')),
    connection.transact(transaction(one(4), one(5))).then(note('d')),
  ]);
  t.deepEqual(answers, ['a [[],[["1"]],[]]', 'b [[[2]],[[3]]]', 'c "failed"', 'd [[],[["4"]],[["5"]],[]]']);
});

test.serial('a connection that the server ends fails its transaction, and names what was not answered', async (t) => {
  const connection = await opened(t);
  const other = await opened(t);
  const [[[pid] = []] = []] = await connection.run([{ text: 'SELECT pg_backend_pid()' }]);
  const asleep = failure(connection.transact(transaction(keep(9_500), { text: 'SELECT pg_sleep($1)', values: [30] })));
  await new Promise((resolve) => void setTimeout(resolve, 300));
  await other.run([{ text: 'SELECT pg_terminate_backend($1::int)', values: [pid as number] }]);
  const error = await asleep;
  t.is(error.index, 2);
  t.false(connection.usable);
  t.deepEqual(await keptOf(other, 9_500), []);
});
