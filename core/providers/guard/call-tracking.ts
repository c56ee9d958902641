import type { CalledFor } from './called-for.ts';

/**
 * Knows in whose name code of plugins runs: of which provider instance, or of which event sink, and for which
 * requests.
 */
export interface CallTracking {
  /** Runs a call, and everything that follows from it, in somebody's name until its promise settles. */
  call<T>(name: string, call: () => Promise<T>, of?: readonly CalledFor[]): Promise<T>;
  /** Runs a function that gives its answer at once. */
  pure<T>(name: string, call: () => T): T;
  /** Runs a function in which plugins are asked about a request, and at once. */
  about<T>(of: CalledFor, ask: () => T): T;
}

/** Watches nothing. */
export const unwatched: CallTracking = { call: (_, call) => call(), pure: (_, call) => call(), about: (_, ask) => ask() };
