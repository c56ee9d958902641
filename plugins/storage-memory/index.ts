import { definePlugin, defineStorage } from '../../core/index.ts';
import { Type } from 'typebox';
import { MemoryStore } from './memory-store.ts';

export { MemoryStore, type Journal, type JournalEntry } from './memory-store.ts';

/** `storage: {type: memory}`: each open store is empty. */
const memoryStorage = defineStorage({
  type: 'memory',
  shared: false,
  options: Type.Object({}),
  open: (_options, context) => Promise.resolve(new MemoryStore(context)),
});

/** Storage that ends with the process: for tests and trials. */
export default definePlugin({ name: 'storage-memory', contract: 1, storages: [memoryStorage] });
