import { BrokerError } from '../contract/errors.ts';
import type { Checked } from '../model/health.ts';

/** How faces have the loop ask an instance now, wherever the loop runs. */
export interface Checkup {
  /** What came of it, in bounded time; undefined: the loop did not answer. */
  check(instance: string): Promise<Checked | undefined>;
  /** Why the loop does not answer, where that is known. */
  trouble(): string | undefined | Promise<string | undefined>;
}

/** For a process without a loop: nobody can ask. */
export const noCheckup: Checkup = {
  check: async () => undefined,
  trouble: () => 'This process carries nothing out, so it asks no provider; ask the server that does.',
};

/** Refuses with UNAVAILABLE when the loop does not answer. */
export async function checkedBy(checkup: Checkup, instance: string): Promise<Checked> {
  const checked = await checkup.check(instance);
  if (checked) return checked;
  throw new BrokerError('UNAVAILABLE', (await checkup.trouble()) ?? 'The loop does not answer.', { retry_after_s: 5 });
}
