import type { Log } from '../../core/contract/log.ts';
import { shown } from '../../core/providers/answer-checks/contract-violation.ts';
import { shortened } from '../../core/texts/shortened.ts';
import { errorSummary, type ErrorSummary } from '../../core/providers/answer-checks/thrown-error.ts';

export type LogLevel = keyof Log;

/** A log line of one thread that another thread writes. */
export interface LogLine {
  readonly level: LogLevel;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** The most characters of a text in a line. */
const longestText = 16_000;

/**
 * Returns a log that sends its lines to another thread: one writer per process keeps lines whole and in order. Plugins
 * write to it, whatever they like: it never throws.
 */
export function forwardedLog(level: string, send: (line: LogLine) => void): Log {
  const lowest = level === 'trace' ? 0 : levels.indexOf(level as LogLevel);
  const write = (at: LogLevel) => (fields: unknown, message: unknown) => {
    // The levels `fatal` and `silent` are above all levels of `Log`: nothing is sent.
    if (lowest < 0 || levels.indexOf(at) < lowest) return;
    const text = typeof message === 'string' ? shortened(message, longestText) : shown(message);
    send({ level: at, fields: plainFields(fields), message: text });
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** Converts fields to plain values, since only those can be sent to another thread. */
function plainFields(fields: unknown): Record<string, unknown> {
  const all = plain(fields, partly);
  if (typeof all === 'object' && all !== null) return all as Record<string, unknown>;
  return all === undefined ? {} : { fields: all };
}

/** The value as plain JSON; `instead` is called for one that is not possible as a whole. */
function plain(value: unknown, instead: (value: unknown) => unknown): unknown {
  try {
    const text: string | undefined = JSON.stringify(value, plainValue);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return instead(value);
  }
}

/** Its fields, each as far as it can be shown. */
function partly(value: unknown): unknown {
  try {
    return Object.fromEntries(
      Object.keys(value as object).map((name) => [name, plain((value as Record<string, unknown>)[name], shown)]),
    );
  } catch {
    return shown(value);
  }
}

/** Called by JSON.stringify for each value. An error is read before its `toJSON`, which may show headers with keys. */
function plainValue(this: unknown, name: string, value: unknown): unknown {
  const summary = errorSummary((this as Record<string, unknown>)[name]);
  if (summary) return described(summary);
  if (typeof value === 'string') return shortened(value, longestText);
  return typeof value === 'bigint' ? String(value) : value;
}

function described({ name, message, stack, cause, fields }: ErrorSummary): Record<string, unknown> {
  return { ...fields, type: name, message, stack, ...(cause ? { cause: described(cause) } : {}) };
}
