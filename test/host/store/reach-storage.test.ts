import test from 'ava';
import { BrokerError, silentLog } from '../../../core/index.ts';
import { reachStorage } from '../../../host/store/reach-storage.ts';

const loadedWith = (reach: (() => Promise<void>) | undefined) =>
  ({ configuration: { storage: { type: 'far' } }, plugins: [{ storages: [{ type: 'far', reach }] }] }) as never;

test('a start does not wait for a storage without `reach`, nor for what no waiting changes', async (t) => {
  await t.notThrowsAsync(reachStorage(loadedWith(undefined), silentLog));
  const invalid = async () => {
    throw new BrokerError('INVALID_CONFIGURATION', 'No URL.');
  };
  await t.throwsAsync(reachStorage(loadedWith(invalid), silentLog), { message: 'No URL.' });
});
