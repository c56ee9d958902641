import type { Log } from '../../core/contract/log.ts';

export type LogLevel = keyof Log;

/** A log line of one thread that another thread writes. */
export interface LogLine {
  readonly level: LogLevel;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Returns a log that sends its lines to another thread: one writer per process keeps lines whole and in order. */
export function forwardedLog(level: string, send: (line: LogLine) => void): Log {
  const lowest = level === 'trace' ? 0 : levels.indexOf(level as LogLevel);
  const write = (at: LogLevel) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    // The levels `fatal` and `silent` are above all levels of `Log`: nothing is sent.
    if (lowest >= 0 && levels.indexOf(at) >= lowest) send({ level: at, fields: plain(fields), message });
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/**
 * Converts fields to plain JSON values, since only plain values can be sent to another thread. Errors become objects
 * with message, stack and cause.
 */
function plain(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? described(value) : value)),
  );
}

function described(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const own = Object.fromEntries(
    Object.entries(error).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value)),
  );
  return { ...own, type: name, message, stack, ...(cause instanceof Error ? { cause: described(cause) } : {}) };
}
