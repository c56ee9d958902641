import test from 'ava';
import { BrokerError } from '../../../core/index.ts';
import { whenDatabaseIsThere } from '../../../host/store/when-database-is-there.ts';

const absent = new BrokerError('UNAVAILABLE', 'The database cannot serve.', { absent: true });

function collected() {
  const lines: string[] = [];
  const say = (_: object, message: string) => void lines.push(message);
  return { lines, log: { warn: say, info: say } };
}

test('a start waits for an absent database, says so once, and continues when it is there', async (t) => {
  const { lines, log } = collected();
  let tries = 0;
  const start = async () => {
    tries += 1;
    if (tries < 4) throw absent;
    return 'started';
  };
  t.is(await whenDatabaseIsThere(start, log, async () => undefined), 'started');
  t.deepEqual(lines, [
    'The start waits for the database. The database cannot serve.',
    'The database is there, and the start continues.',
  ]);
});

test('every other refusal ends the start at once', async (t) => {
  const { lines, log } = collected();
  const refused = new BrokerError('UNAVAILABLE', 'The password is wrong.');
  await t.throwsAsync(
    whenDatabaseIsThere(() => Promise.reject(refused), log),
    { is: refused },
  );
  t.deepEqual(lines, []);
});
