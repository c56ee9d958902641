import { definePlugin, type Owner, type StorageDriver, type Store } from '../../core/index.ts';
import plugin from '../../plugins/storage-sqlite/index.ts';

const [driver] = plugin.storages ?? [];

/**
 * SQLite with one thing wrong: it takes every other owner for one of an earlier boot of its own host, whose claims
 * count as ended.
 */
const wrong: StorageDriver<any> | undefined = driver && {
  ...driver,
  async open(options: never, context: never) {
    const store: Store = await driver.open(options, context);
    const claim: Store['claim'] = (owner: Owner, ...more) =>
      store.claim({ ...owner, host: 'one', boot: owner.host }, ...more);
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
