import { systemClock, type Clock } from '../../core/contract/clock.ts';
import { isBrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';

const retryMs = 1_000;
const sayMs = 30_000;

/**
 * Repeats a step of a start while the storage is absent (`absent` in the details of the refusal), and says so at once
 * and every half minute: after a power failure the hosts of brokers and database start in any order, and a database
 * may go away during the start. Tells `waits` why, and undefined at the end. Every other refusal is final: waiting does
 * not mend a password or a certificate.
 */
export async function whenStorageIsThere<T>(
  step: () => Promise<T>,
  log: Pick<Log, 'warn' | 'info'>,
  waits: (why: string | undefined) => void = () => undefined,
  clock: Pick<Clock, 'monotonic' | 'sleep'> = systemClock,
): Promise<T> {
  const began = clock.monotonic();
  let saidAt: number | undefined;
  let told: string | undefined;
  for (;;) {
    try {
      const done = await step();
      const seconds = Math.round((clock.monotonic() - began) / 1_000);
      if (saidAt !== undefined) log.info({ seconds }, 'The storage is there: muster starts.');
      if (told !== undefined) waits(undefined);
      return done;
    } catch (error) {
      if (!isBrokerError(error) || error.details['absent'] !== true) throw error;
      if (told !== error.message) waits((told = error.message));
      if (saidAt === undefined || clock.monotonic() - saidAt >= sayMs) {
        saidAt = clock.monotonic();
        log.warn({}, `muster waits with its start. ${error.message}`);
      }
    }
    await clock.sleep(retryMs);
  }
}
