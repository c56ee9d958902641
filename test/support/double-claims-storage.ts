import { definePlugin, type BrokerRecord, type StorageDriver, type Store } from '../../core/index.ts';
import { deadPid } from '../../plugin-testkit/storage/records.ts';
import plugin from '../../plugins/storage-sqlite/index.ts';

const [driver] = plugin.storages ?? [];

/**
 * SQLite with one thing wrong: it takes every other broker for one of its own host whose process has ended.
 */
const wrong: StorageDriver<any> | undefined = driver && {
  ...driver,
  async open(options: never, context: never) {
    const store: Store = await driver.open(options, context);
    const claim: Store['claim'] = (broker: BrokerRecord, ...more) =>
      store.claim({ ...broker, host: 'one', boot: 'one', pid: deadPid + broker.pid }, ...more);
    return new Proxy(store, {
      get(target, name) {
        if (name === 'claim') return claim;
        const found: unknown = Reflect.get(target, name);
        return typeof found === 'function' ? found.bind(target) : found;
      },
    });
  },
};

export default definePlugin({ name: 'storage-double-claims', contract: 1, storages: wrong ? [wrong] : [] });
