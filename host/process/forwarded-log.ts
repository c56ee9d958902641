import type { Log } from '../../core/contract/log.ts';

export type LogLevel = keyof Log;

/** A line that one thread says and another writes. */
export interface LogLine {
  readonly level: LogLevel;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** A log for a thread that does not write itself: the process's one writer keeps lines whole and in order. */
export function forwardedLog(level: string, send: (line: LogLine) => void): Log {
  const lowest = level === 'trace' ? 0 : levels.indexOf(level as LogLevel);
  const write = (at: LogLevel) => (fields: Readonly<Record<string, unknown>>, message: string) => {
    // `fatal` and `silent` are above all of ours.
    if (lowest >= 0 && levels.indexOf(at) >= lowest) send({ level: at, fields: plain(fields), message });
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** As JSON would have it: what crosses to another thread must be plain, and errors say little of themselves in JSON. */
function plain(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? described(value) : value)));
}

function described(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const own = Object.fromEntries(Object.entries(error).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value)));
  return { ...own, type: name, message, stack, ...(cause instanceof Error ? { cause: described(cause) } : {}) };
}
