import { setTimeout } from 'node:timers/promises';
import { BrokerError, isBrokerError } from '../../core/contract/errors.ts';
import type { StorageContext, StorageDriver, Store } from '../../core/contract/storage.ts';
import { errorText } from '../../core/providers/answer-checks/thrown-error.ts';
import { pluginOf } from '../../core/wiring/contributed-by.ts';

/** Milliseconds for a refused store to close. */
const closeMs = 5_000;
/** How often the log says that the storage still opens. To update a large database may take minutes. */
const sayMs = 30_000;

const members = [
  'get',
  'find',
  'count',
  'changes',
  'versions',
  'reserved',
  'commit',
  'claim',
  'renew',
  'yield',
  'leave',
  'brokers',
  'job',
  'freeJob',
  'watch',
  'close',
] as const satisfies readonly (keyof Store)[];

/**
 * Opens a store with the driver of a plugin. Rejects with an error that names the storage and its plugin when it does
 * not open, and when it has not all methods of a store. Waits without a limit, and says so.
 */
export async function openedStore<Options>(
  driver: StorageDriver<any>,
  options: Options,
  context: StorageContext,
): Promise<Store> {
  const plugin = pluginOf(driver);
  const storage = `Storage '${driver.type}'${plugin === undefined ? '' : ` of plugin '${plugin}'`}`;
  // The timer also keeps the process alive: nothing else may do so yet, and it would end without a word.
  const saying = setInterval(() => context.log.warn({}, `${storage} has not opened yet; muster waits for it.`), sayMs);
  let opened: Partial<Store> | undefined;
  try {
    opened = (await driver.open(options, context)) as Partial<Store> | undefined;
    const missing = members.filter((member) => typeof opened?.[member] !== 'function');
    if (missing.length === 0) return opened as Store;
    throw new BrokerError(
      'INVALID_CONFIGURATION',
      `${storage} opened a store without ${missing.join(', ')}. Correct the plugin: a store has all methods of its interface.`,
    );
  } catch (error) {
    await Promise.race([closed(opened), setTimeout(closeMs, undefined, { ref: false })]).catch((err: unknown) =>
      context.log.warn({ err }, `${storage} did not close its store.`),
    );
    if (isBrokerError(error)) throw error;
    throw new BrokerError('UNAVAILABLE', `${storage} did not open: ${errorText(error)}`, {}, { cause: error });
  } finally {
    clearInterval(saying);
  }
}

/** A refused store keeps no file, lock or connection. */
const closed = async (opened: Partial<Store> | undefined): Promise<void> => opened?.close?.();
