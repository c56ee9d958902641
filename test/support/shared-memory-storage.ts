import { Type } from 'typebox';
import {
  BrokerError,
  definePlugin,
  defineStorage,
  type Plugin,
  type StorageContext,
  type StorageDriver,
  type Store,
} from '../../core/index.ts';
import { memoryDriver } from './memory-driver.ts';

const methods = [
  'get',
  'find',
  'count',
  'changes',
  'versions',
  'commit',
  'claim',
  'renew',
  'yield',
  'leave',
  'brokers',
  'job',
  'freeJob',
  'reserved',
  'watch',
] as const;

/**
 * A storage in memory that behaves like one that is durable and shared: every store object that is opened on a place
 * is a view of one store.
 */
export function sharedMemoryStorage(): StorageDriver<any> {
  const places = new Map<string, Promise<Store>>();
  return defineStorage({
    type: 'shared-memory',
    shared: true,
    options: Type.Object({ place: Type.String({ description: 'Its name.' }) }),
    async open({ place }, context) {
      const under = places.get(place) ?? memoryDriver().open({}, context);
      places.set(place, under);
      return viewOf(await under);
    },
  });
}

function viewOf(under: Store): Store {
  let closed = false;
  const ask =
    (method: (typeof methods)[number]) =>
    (...args: readonly unknown[]) => {
      const refusal = new BrokerError('UNAVAILABLE', 'The storage is closed.');
      if (closed && method === 'watch') throw refusal;
      return closed ? Promise.reject(refusal) : (under[method] as (...all: readonly unknown[]) => unknown)(...args);
    };
  const asked = Object.fromEntries(methods.map((method) => [method, ask(method)])) as unknown as Store;
  return { ...asked, close: async () => void (closed = true) };
}

/** The same with something wrong: `spoil` says which methods of a store do another thing than they should. */
export function spoiledStorage(
  spoil: (store: Store, context: StorageContext) => Partial<Store>,
  driver = sharedMemoryStorage(),
): Plugin {
  return pluginOf({
    ...driver,
    open: async (options: unknown, context: StorageContext) => {
      const store = await driver.open(options as never, context);
      return { ...store, ...spoil(store, context) };
    },
  });
}

export const pluginOf = (driver: StorageDriver<any>): Plugin =>
  definePlugin({ name: 'storage-shared-memory', contract: 1, storages: [driver] });
