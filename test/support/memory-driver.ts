import type { StorageDriver } from '../../core/index.ts';
import plugin from '../../plugins/storage-memory/index.ts';

/** The memory storage's driver. */
export function memoryDriver(): StorageDriver<any> {
  const [driver] = plugin.storages ?? [];
  if (!driver) throw new Error('storage-memory brings no driver.');
  return driver;
}
