import { isBrokerError } from '../../core/index.ts';

/** The most attempts: a storage that cannot serve for longer fails the check. */
const maxAttempts = 10;

/**
 * Repeats a commit while the storage cannot serve, as callers do: on a busy host, many commits at once may wait for
 * longer than the storage permits. A commit that was written although its answer was lost is accepted.
 */
export async function served(commit: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await commit();
    } catch (error) {
      if (!isBrokerError(error)) throw error;
      if (error.code === 'ALREADY_EXISTS' && attempt > 1) return;
      if (error.code !== 'UNAVAILABLE' || attempt === maxAttempts) throw error;
    }
  }
}
