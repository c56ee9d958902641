import { shortened } from '../../texts/shortened.ts';
import { ContractViolation, shown } from './contract-violation.ts';

/** The most characters of a message that is kept, and of a stack. */
const longestMessage = 4_000;
const longestStack = 16_000;
const longestName = 128;
/** How many causes are followed, and how many other fields of an error are kept. */
const mostCauses = 8;
const mostFields = 20;

/** What an error says, as plain values. */
export interface ErrorSummary {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly cause: ErrorSummary | undefined;
  /** Its other fields, where they are texts, numbers or booleans: objects may hold what a log must not show. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

/**
 * Reads what was thrown; undefined: it is no error. Code of plugins throws anything: with fields that throw when they
 * are read, causes in a circle, or texts of megabytes. Reading it never throws, and the summary is small.
 */
export function errorSummary(thrown: unknown, causes = mostCauses): ErrorSummary | undefined {
  if (!isError(thrown)) return undefined;
  const message = textIn(thrown, 'message', longestMessage) ?? '';
  const name = textIn(thrown, 'name', longestName) ?? 'Error';
  return {
    name,
    message,
    stack: textIn(thrown, 'stack', longestStack) ?? `${name}: ${message}`,
    cause: causes > 0 ? errorSummary(valueIn(thrown, 'cause'), causes - 1) : undefined,
    fields: fieldsIn(thrown),
  };
}

/** An error that says what was thrown, and that anything may read: a copy, or one that is made for another value. */
export function thrownError(thrown: unknown): Error {
  const summary = errorSummary(thrown);
  if (!summary) return withStack(new Error(`it threw ${shown(thrown)}`), 'Error', '');
  if (isViolation(thrown)) return thrown;
  return errorOf(summary);
}

/** The message of a thrown value of any type. */
export function errorText(thrown: unknown): string {
  const { message } = errorSummary(thrown) ?? {};
  return message ? message : `it threw ${shown(thrown)}`;
}

function errorOf({ name, message, stack, cause, fields }: ErrorSummary): Error {
  const copy = new Error(message, cause && { cause: errorOf(cause) });
  return Object.assign(withStack(copy, name, stack), fields);
}

function withStack(error: Error, name: string, stack: string): Error {
  const hidden = { configurable: true, writable: true, enumerable: false };
  return Object.defineProperties(error, {
    name: { ...hidden, value: name },
    stack: { ...hidden, value: stack === '' ? `${name}: ${error.message}` : stack },
  });
}

function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

const isViolation = (error: unknown): error is ContractViolation => error instanceof ContractViolation;

function valueIn(error: Error, name: string): unknown {
  try {
    return (error as unknown as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

function textIn(error: Error, name: string, most: number): string | undefined {
  const value = valueIn(error, name);
  return typeof value === 'string' ? shortened(value, most) : undefined;
}

function fieldsIn(error: Error): Record<string, string | number | boolean> {
  const fields: Record<string, string | number | boolean> = {};
  for (const name of namesIn(error)) {
    const value = valueIn(error, name);
    if (typeof value === 'string') fields[name] = shortened(value, longestMessage);
    else if (typeof value === 'number' || typeof value === 'boolean') fields[name] = value;
  }
  return fields;
}

const summarized = new Set(['name', 'message', 'stack', 'cause', '__proto__']);

function namesIn(error: Error): readonly string[] {
  try {
    return Object.keys(error)
      .filter((name) => !summarized.has(name))
      .slice(0, mostFields);
  } catch {
    return [];
  }
}
