import type { readMarks } from './call-marks.ts';
import type { ThreadStack } from './thread-stack.ts';

/** Whose calls may have hung a thread, and where it stood. */
export interface Suspects {
  readonly names: readonly string[];
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
export function suspectsOf(stack: ThreadStack | undefined, marks: ReturnType<typeof readMarks>, own: readonly string[]): Suspects {
  const foreign = stack?.frames.find(({ url }) => url !== '' && !url.startsWith('node:') && !own.some((root) => url.startsWith(root)));
  const where = foreign ? { where: `${foreign.name} (${foreign.url}:${foreign.line})` } : {};
  if (stack?.whose !== undefined) return { names: [stack.whose], ...where };
  if (marks.at_once !== undefined) return { names: [marks.at_once], ...where };
  if (stack && !foreign) return { names: [] };
  return { names: marks.under_way, ...where };
}
