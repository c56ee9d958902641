/** An answer of a plugin that is not as its contract says. The message continues `… broke its contract: `. */
export class Broken extends Error {
  /** `path` points into the answer; empty for the whole. `wanted` continues `the contract wants …`. */
  constructor(path: string, value: unknown, wanted: string) {
    super(`${path === '' ? 'the answer' : path} is ${shown(value)}; the contract wants ${wanted}`);
    this.name = 'Broken';
  }
}

/** A value in a few words: what a plugin gives may be large, or not printable at all. */
export function shown(value: unknown): string {
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
