import { join } from 'node:path';
import { silentLog, systemClock, type Clock, type Store } from '../../core/index.ts';
import plugin from '../../plugins/storage-sqlite/index.ts';
import { oneOfMany } from './temporary-directory.ts';

const [driver] = plugin.storages ?? [];

/** Opens the store in a file, as the broker would. */
export const openFile = (path: string, clock: Clock = systemClock, busy_timeout_ms = 5_000): Promise<Store> =>
  driver?.open({ path, busy_timeout_ms }, { clock, log: silentLog }) ??
  Promise.reject(new Error('The plugin has no driver.'));

/** A path in a directory that is still to be made; removed when the process ends. */
export const freshPath = (): string => join(oneOfMany('muster-storage-'), 'data', 'muster.db');
