import test from 'ava';
import { BrokerError, silentLog, type Log } from '../../../core/index.ts';
import { reachStorage } from '../../../host/store/reach-storage.ts';

const loadedWith = (reach: (() => Promise<void>) | undefined) =>
  ({ configuration: { storage: { type: 'far' } }, plugins: [{ storages: [{ type: 'far', reach }] }] }) as never;

test('a start waits for a storage that is absent, says so now and then, and goes on when it is there', async (t) => {
  const said: string[] = [];
  const log = {
    ...silentLog,
    warn: (_: object, text: string) => said.push(text),
    info: (_: object, text: string) => said.push(text),
  };
  let [asked, paused] = [0, 0];
  const reach = async () => {
    asked += 1;
    if (asked < 65) throw new BrokerError('UNAVAILABLE', 'Nothing listens there.');
  };
  await reachStorage(loadedWith(reach), log as unknown as Log, async (ms) => void (paused += ms));
  t.deepEqual(said, [
    ...[1, 2, 3].map(() => 'muster waits with its start. Nothing listens there.'),
    'The storage is there: muster starts.',
  ]);
  t.deepEqual([asked, paused], [65, 64_000]);
});

test('a start does not wait for what no waiting changes', async (t) => {
  await reachStorage(loadedWith(undefined), silentLog);
  const invalid = async () => {
    throw new BrokerError('INVALID_CONFIGURATION', 'No URL.');
  };
  await t.throwsAsync(reachStorage(loadedWith(invalid), silentLog), { message: 'No URL.' });
});
