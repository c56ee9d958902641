/** Knows in whose name code of plugins runs: of which provider instance, or of which event sink. */
export interface CallWatch {
  /** Runs a call, and everything that follows from it, in somebody's name until its promise settles. */
  call<T>(name: string, call: () => Promise<T>): Promise<T>;
  /** Runs a function that gives its answer at once. */
  pure<T>(name: string, call: () => T): T;
}

/** Watches nothing. */
export const unwatched: CallWatch = { call: (_, call) => call(), pure: (_, call) => call() };
