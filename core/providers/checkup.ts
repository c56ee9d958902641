import { BrokerError } from '../contract/errors.ts';
import type { Checked } from '../model/health.ts';

/** Triggers the loop, in whatever process it runs, to check an instance now. */
export interface Checkup {
  /** The result, within a bounded time. Undefined: the loop did not answer. */
  check(instance: string): Promise<Checked | undefined>;
  /** Why the loop does not answer, if the reason is known. */
  trouble(): string | undefined | Promise<string | undefined>;
}

/** For a process without a loop: checks nothing. */
export const noCheckup: Checkup = {
  check: async () => undefined,
  trouble: () => 'This process runs no loop, so it calls no provider; send the call to a server that runs the loop.',
};

/** Checks an instance through the loop. Throws UNAVAILABLE when the loop does not answer. */
export async function checkedBy(checkup: Checkup, instance: string): Promise<Checked> {
  const checked = await checkup.check(instance);
  if (checked) return checked;
  throw new BrokerError('UNAVAILABLE', (await checkup.trouble()) ?? 'The loop does not answer.', { retry_after_s: 5 });
}
