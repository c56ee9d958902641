import type { CalledFor } from './called-for.ts';

/** Tracks for which provider instance or event sink, and for which requests, plugin code runs. */
export interface CallTracking {
  /** Runs a call, and everything that it starts, under a name until its promise settles. */
  call<T>(name: string, call: () => Promise<T>, of?: readonly CalledFor[]): Promise<T>;
  /** Runs a synchronous function. */
  pure<T>(name: string, call: () => T): T;
  /** Runs a synchronous function that asks plugins about a request. */
  about<T>(of: CalledFor, ask: () => T): T;
}

/** Tracks nothing. */
export const unwatched: CallTracking = {
  call: (_, call) => call(),
  pure: (_, call) => call(),
  about: (_, ask) => ask(),
};
