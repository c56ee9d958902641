import type { CalledFor } from '../../../core/providers/guard/called-for.ts';
import type { TrackedCalls } from './shared-call-tracking.ts';
import type { ThreadStack } from './thread-stack.ts';

/** Whose calls may have stopped a thread, and where it stood. */
export interface HangDiagnosis {
  readonly names: readonly string[];
  /** The request that the one of them was called for, where it is known. */
  readonly of?: CalledFor;
  /** The innermost place in code that is not ours. */
  readonly where?: string;
}

/**
 * Who hung a thread. The rule, from sure to unsure:
 * 1. The thread was stopped in code that runs in somebody's name: that one, and nobody else.
 * 2. Somebody was in the part of a call that runs at once, as in native code that waits: that one.
 * 3. The thread was stopped in muster's own code, in nobody's name: nobody.
 * 4. Else it can be anybody of whom a call is under way: all of them, since none can be cleared.
 * `own`: what the URLs of muster's own code begin with.
 */
export function diagnoseHang(stack: ThreadStack | undefined, marks: TrackedCalls, own: readonly string[]): HangDiagnosis {
  const foreign = stack?.frames.find(({ url }) => url !== '' && !url.startsWith('node:') && !own.some((root) => url.startsWith(root)));
  const where = foreign ? { where: `${foreign.name} (${foreign.url}:${foreign.line})` } : {};
  const sure = stack?.whose ?? marks.at_once;
  if (sure) return { names: [sure.name], ...(sure.of ? { of: sure.of } : {}), ...where };
  if (stack && !foreign) return { names: [] };
  return { names: marks.under_way, ...where };
}

/**
 * Who ended a thread that ended by itself: in whose name it did (`process.exit`), else who was in the part of a call
 * that runs at once; else one of whom a call was under way now and at the end before, for once proves nothing
 * (`before`: who were then). A thread that ends for want of memory has no last words.
 */
export function endedBy({ last, at_once, under_way }: TrackedCalls, before: readonly string[]): HangDiagnosis {
  const sure = last ?? at_once;
  if (sure) return { names: [sure.name], ...(sure.of ? { of: sure.of } : {}) };
  return { names: under_way.filter((name) => before.includes(name)) };
}
