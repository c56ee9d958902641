import { ContractViolation } from './contract-violation.ts';

/** `Date.parse` alone takes much else, such as `banana 1`. */
const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

export type Given = Readonly<Record<string, unknown>>;

// Path and field name are separate arguments, so that they are only joined for an error.

export function assertObject(value: unknown, path: string, expected: string): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ContractViolation(path, value, expected);
  return value as Given;
}

export function assertText(value: unknown, path: string, name: string): void {
  if (typeof value !== 'string' || value === '')
    throw new ContractViolation(`${path}${name}`, value, 'a string that is not empty');
}

export function assertShortText(value: unknown, path: string, name: string, most: number): void {
  assertText(value, path, name);
  if ((value as string).length > most)
    throw new ContractViolation(`${path}${name}`, value, `a text of at most ${most} characters`);
}

/** Allows undefined. */
export function assertOptionalText(value: unknown, path: string, name: string, most = Infinity): void {
  if (value === undefined) return;
  if (typeof value !== 'string') throw new ContractViolation(`${path}/${name}`, value, 'a string or undefined');
  if (value.length > most)
    throw new ContractViolation(`${path}/${name}`, value, `a text of at most ${most} characters`);
}

export function assertBoolean(value: unknown, path: string, name: string): void {
  if (typeof value !== 'boolean') throw new ContractViolation(`${path}${name}`, value, 'true or false');
}

export function assertCount(value: unknown, path: string, name: string): void {
  if (!Number.isInteger(value) || (value as number) < 0)
    throw new ContractViolation(`${path}${name}`, value, 'a whole number that is not negative');
}

export function assertAmount(value: unknown, path: string, name: string): void {
  if (typeof value !== 'number' || !(value >= 0) || value === Infinity)
    throw new ContractViolation(`${path}${name}`, value, 'a number that is not negative');
}

/** Allows an ISO 8601 time and undefined. */
export function assertOptionalTime(value: unknown, path: string, name: string): void {
  if (value === undefined) return;
  if (typeof value !== 'string' || !isoTime.test(value) || Number.isNaN(Date.parse(value)))
    throw new ContractViolation(`${path}${name}`, value, 'an ISO 8601 time or undefined');
}

export function assertKnown(
  value: unknown,
  all: ReadonlySet<unknown>,
  path: string,
  name: string,
  listed: readonly string[],
): void {
  if (!all.has(value)) throw new ContractViolation(`${path}${name}`, value, `one of ${listed.join(', ')}`);
}

export function checkOptional(value: unknown, check: (value: unknown) => void): void {
  if (value !== undefined) check(value);
}

export function assertTexts(value: unknown, path: string): void {
  if (!Array.isArray(value)) throw new ContractViolation(path, value, 'a list of strings');
  value.forEach((each, index) => assertText(each, path, `/${index}`));
}

/**
 * Refuses a promise where the contract requires an answer at once. Nobody waits for the promise: as a rejection that
 * nothing handles it would end the process.
 */
export function assertAtOnce(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null || !('then' in answer) || typeof answer.then !== 'function')
    return;
  (answer as PromiseLike<unknown>).then(undefined, () => undefined);
  throw new ContractViolation('', answer, 'an answer at once, not a promise');
}
