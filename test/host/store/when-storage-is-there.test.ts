import test from 'ava';
import { BrokerError } from '../../../core/index.ts';
import { whenStorageIsThere } from '../../../host/store/when-storage-is-there.ts';

const absent = new BrokerError('UNAVAILABLE', 'Nothing listens there.', { absent: true });

function world() {
  const lines: string[] = [];
  const say = (_: object, message: string) => void lines.push(message);
  let now = 0;
  const clock = { monotonic: () => now, sleep: async (ms: number) => void (now += ms) };
  const told: (string | undefined)[] = [];
  const waits = (why: string | undefined) => void told.push(why);
  return { lines, told, waits, log: { warn: say, info: say }, clock };
}

test('a start waits for a storage that is absent, says so now and then, and goes on when it is there', async (t) => {
  const { lines, told, waits, log, clock } = world();
  let tries = 0;
  const start = async () => {
    tries += 1;
    if (tries < 65) throw absent;
    return 'started';
  };
  t.is(await whenStorageIsThere(start, log, waits, clock), 'started');
  t.deepEqual(lines, [
    ...[1, 2, 3].map(() => 'muster waits with its start. Nothing listens there.'),
    'The storage is there: muster starts.',
  ]);
  t.is(clock.monotonic(), 64_000);
  t.deepEqual(told, ['Nothing listens there.', undefined], 'a reason is told once');
});

test('every other refusal ends the start at once', async (t) => {
  const { lines, told, waits, log, clock } = world();
  const refused = new BrokerError('UNAVAILABLE', 'The password is wrong.');
  await t.throwsAsync(
    whenStorageIsThere(() => Promise.reject(refused), log, waits, clock),
    { is: refused },
  );
  t.deepEqual(lines, []);
  t.deepEqual(told, []);
});
