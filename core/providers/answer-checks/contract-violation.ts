/** An answer of a plugin that violates its contract. The message completes the sentence `… broke its contract: `. */
export class ContractViolation extends Error {
  /** `path` points into the answer; empty for the whole answer. `expected` completes `the contract requires …`. */
  constructor(path: string, value: unknown, expected: string) {
    super(`${path === '' ? 'the answer' : path} is ${shown(value)}; the contract requires ${expected}`);
    this.name = 'ContractViolation';
  }
}

/** A short text for a value, which may be large, not printable or not even readable. */
export function shown(value: unknown): string {
  try {
    return short(value);
  } catch {
    return 'an object that cannot be read';
  }
}

function short(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length > 60 ? `'${value.slice(0, 60)}…'` : `'${value}'`;
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? `a list of ${value.length}` : 'an object';
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    default:
      return String(value);
  }
}
