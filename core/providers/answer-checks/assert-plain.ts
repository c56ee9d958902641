import { ContractViolation } from './contract-violation.ts';

/** The limits of one answer. The stored part of an answer is read each time with its request. */
const mostParts = 100_000;
const mostCharacters = 4_000_000;
const deepest = 64;

/** The remaining limits of an answer. */
export interface SizeBudget {
  parts: number;
  characters: number;
}

export const newBudget = (): SizeBudget => ({ parts: mostParts, characters: mostCharacters });

/**
 * Throws ContractViolation unless the value survives JSON unchanged and stays within the limits. An undefined field
 * counts as absent.
 */
export function assertPlain(value: unknown, path: string, budget: SizeBudget = newBudget()): void {
  walk(value, path, deepest, budget);
}

function walk(value: unknown, path: string, depth: number, budget: SizeBudget): void {
  if ((budget.parts -= 1) < 0) throw new ContractViolation(path, value, `JSON with at most ${mostParts} parts`);
  switch (typeof value) {
    case 'string':
      if ((budget.characters -= value.length) < 0)
        throw new ContractViolation(path, value, `JSON with at most ${mostCharacters} characters of text`);
      return;
    case 'boolean':
    case 'undefined':
      return;
    case 'number':
      if (!Number.isFinite(value)) throw new ContractViolation(path, value, 'JSON');
      return;
    case 'object':
      if (value === null) return;
      // The limit of the depth also ends cycles.
      if (depth === 0) throw new ContractViolation(path, value, `JSON that is no deeper than ${deepest}`);
      if (Array.isArray(value))
        value.forEach((each, index) => walk(item(each, path, index), `${path}/${index}`, depth - 1, budget));
      else fields(value, path, depth, budget);
      return;
    default:
      throw new ContractViolation(path, value, 'JSON');
  }
}

function item(each: unknown, path: string, index: number): unknown {
  if (each === undefined) throw new ContractViolation(`${path}/${index}`, each, 'JSON');
  return each;
}

function fields(value: object, path: string, depth: number, budget: SizeBudget): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && value.constructor?.name !== 'Object')
    throw new ContractViolation(
      path,
      value,
      `plain JSON, not a ${value.constructor?.name ?? 'instance of another class'}`,
    );
  for (const name in value) walk((value as Record<string, unknown>)[name], `${path}/${name}`, depth - 1, budget);
}
