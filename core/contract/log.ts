type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Where muster writes what it does. pino fits as it is. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

const nothing: Write = () => {};

/** A log that keeps nothing. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
