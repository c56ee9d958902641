import type { Store } from '../../core/index.ts';

/** A store of which some methods are others. */
export const storeWith = (store: Store, others: Partial<Store>): Store =>
  new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get(others, name) ?? Reflect.get(target, name);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
