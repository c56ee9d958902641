import { definePlugin } from '../../core/index.ts';
import { postgresStorage } from './postgres-storage.ts';

/** A PostgreSQL database, shared by the brokers of several hosts. */
export default definePlugin({ name: 'storage-postgres', contract: 1, storages: [postgresStorage] });
