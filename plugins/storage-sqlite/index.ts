import { definePlugin } from '../../core/index.ts';
import { sqliteStorage } from './sqlite-storage.ts';

/** The default storage: one SQLite file, shared by the threads and processes of one host. */
export default definePlugin({ name: 'storage-sqlite', contract: 1, storages: [sqliteStorage] });
