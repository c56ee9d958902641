import assert from 'node:assert/strict';

/** To ask for the time or for chance throws meanwhile. */
function withoutSurroundings<T>(work: () => T): T {
  const { Date: date } = globalThis;
  const { random } = Math;
  const refuse = (what: string) => () => {
    throw new Error(
      `It asks for ${what}. A scheduler strategy is pure: the same input, the same answer; the time of a list is its \`at\`.`,
    );
  };
  const time = refuse('the time');
  globalThis.Date = new Proxy(date, {
    get: (target, name) => (name === 'now' ? time : Reflect.get(target, name)),
    apply: time,
    construct: (target, given) => (given.length === 0 ? time() : Reflect.construct(target, given)),
  });
  Math.random = refuse('chance');
  try {
    return work();
  } finally {
    globalThis.Date = date;
    Math.random = random;
  }
}

/** Runs something that must depend on its arguments alone, and must not throw. */
export function calmly<T>(work: () => T, what: string): T {
  try {
    return withoutSurroundings(work);
  } catch (error) {
    return assert.fail(`${what}: it threw ${String(error)}`);
  }
}
