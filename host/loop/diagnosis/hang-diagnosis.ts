import type { CalledFor } from '../../../core/providers/guard/called-for.ts';
import type { TrackedCalls } from './shared-call-tracking.ts';
import type { ThreadStack } from './thread-stack.ts';

/** The calls that may have stopped a thread, and where the thread stopped. */
export interface HangDiagnosis {
  readonly names: readonly string[];
  /** The request of the call, when exactly one call is suspected and its request is known. */
  readonly of?: CalledFor;
  /** The innermost stack frame outside of muster's own code. */
  readonly where?: string;
}

/**
 * Determines which provider instances or event sinks made a thread hang. The rules, from certain to uncertain:
 * 1. The thread stopped in code that runs for one name: only that name.
 * 2. One name is in the synchronous part of a call, for example native code that waits: only that name.
 * 3. The thread stopped in muster's own code, for no name: none.
 * 4. Else every name with an open call, since none can be excluded.
 * `own`: the prefixes of the URLs of muster's own code.
 */
export function diagnoseHang(
  stack: ThreadStack | undefined,
  tracking: TrackedCalls,
  own: readonly string[],
): HangDiagnosis {
  const foreign = stack?.frames.find(
    ({ url }) => url !== '' && !url.startsWith('node:') && !own.some((root) => url.startsWith(root)),
  );
  const where = foreign ? { where: `${foreign.name} (${foreign.url}:${foreign.line})` } : {};
  const certain = stack?.owner ?? tracking.running;
  if (certain) return { names: [certain.name], ...(certain.of ? { of: certain.of } : {}), ...where };
  if (stack && !foreign) return { names: [] };
  return { names: tracking.open, ...where };
}

/**
 * Determines which names ended a thread that ended by itself: the name for which it exited (`process.exit`), else the
 * name in the synchronous part of a call, else the names with an open call both now and when the previous thread
 * ended, since one coincidence proves nothing (`before`: the names with an open call at the previous end). A thread
 * that runs out of memory cannot record the name.
 */
export function endedBy({ ended_by, running, open }: TrackedCalls, before: readonly string[]): HangDiagnosis {
  const certain = ended_by ?? running;
  if (certain) return { names: [certain.name], ...(certain.of ? { of: certain.of } : {}) };
  return { names: open.filter((name) => before.includes(name)) };
}
