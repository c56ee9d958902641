import { definePlugin } from '../../core/index.ts';
import { memoryStorage } from './memory-storage.ts';

export { MemoryStore, type Journal, type JournalEntry } from './memory-store.ts';

/** Storage that ends with the process: for tests and for looking around. */
export default definePlugin({ name: 'storage-memory', contract: 1, storages: [memoryStorage] });
