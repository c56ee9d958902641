import type { CheckResult } from '../../../core/contract/provider/provider-check.ts';
import type { StorageDriver } from '../../../core/contract/storage.ts';
import type { HostCheck } from '../report.ts';

const reachMs = 15_000;

/** Whether the storage answers and belongs to brokers. Nothing is created or updated. */
export const storageCheck: HostCheck<{ readonly driver: StorageDriver<any> | undefined; readonly options: unknown }> =
  {
    name: 'storage',
    why: 'A broker without its storage accepts no request.',
    remedy: 'Correct `storage` in the configuration, or bring the database up.',
    async run({ driver, options }) {
      if (!driver) return [{ level: 'error', message: 'No loaded plugin contributes the configured storage.' }];
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(new Error(`The storage did not answer within ${reachMs / 1000} s.`)),
        reachMs,
      );
      try {
        return await Promise.race([stateOf(driver, options), late.promise]);
      } catch (error) {
        return [{ level: 'error', message: error instanceof Error ? error.message : String(error) }];
      } finally {
        clearTimeout(timer);
      }
    },
  };

async function stateOf(driver: StorageDriver<any>, options: unknown): Promise<readonly CheckResult[]> {
  await driver.reach?.(options as never);
  if (!driver.transfer) return [{ level: 'ok', message: `The storage is '${driver.type}'.` }];
  await using end = await driver.transfer(options as never);
  const { exists, records, to } = await end.state();
  if (to)
    return [
      {
        level: 'error',
        message: `${end.place} was copied to ${to.place}, and no broker may use it any more.`,
        remedy: 'Use the other storage, or give the copy up with muster storage reopen.',
      },
    ];
  return [
    {
      level: 'ok',
      message: exists ? `${end.place} has ${records} records.` : `${end.place} is created by the first start.`,
    },
  ];
}
