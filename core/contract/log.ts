type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** The log of muster. A pino logger fits this interface. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

const nothing: Write = () => {};

/** A log that writes nothing. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
