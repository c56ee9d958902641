import type { Call } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { sessionField } from '../connection/session-field.ts';
import { machinesPerPage } from '../observe/describe.ts';

/** The longest pause after a thousand machines, and the longest time for all; a listing may take seven minutes. */
const pauseMs = 30_000;
const pausesMs = 300_000;

const lastListing = sessionField(() => ({ machines: 0 }));

/**
 * With an interruption queue, observations are rare and spread. So is a large listing then, so that no minute has many
 * calls. The result is to be called after each page with its number of machines. The size of the last listing decides
 * how long each pause may be.
 */
export function pausesBetween(
  session: Pick<CloudSession, 'clock' | 'settings'>,
  { signal }: Pick<Call, 'signal'>,
): (machines: number) => Promise<void> {
  const { clock, settings } = session;
  if (typeof settings.interruption_queue.url !== 'string') return async () => undefined;
  const last = lastListing(session as CloudSession);
  const ms = Math.min(pauseMs, (pausesMs * machinesPerPage) / Math.max(1, last.machines));
  const until = clock.monotonic() + pausesMs;
  let read = 0;
  let next = machinesPerPage;
  return async (machines) => {
    last.machines = read += machines;
    if (read < next || clock.monotonic() + ms > until) return;
    next = read + machinesPerPage;
    await clock.sleep(ms, signal);
  };
}
