import assert from 'node:assert/strict';

/** Runs `work` while reading the time or a random number throws. */
function withoutSurroundings<T>(work: () => T): T {
  const { Date: date } = globalThis;
  const { random } = Math;
  const refuse = (what: string) => () => {
    throw new Error(
      `It reads ${what}. A scheduler strategy must be pure: the same input gives the same answer; the time of a list is its \`at\`.`,
    );
  };
  const time = refuse('the time');
  globalThis.Date = new Proxy(date, {
    get: (target, name) => (name === 'now' ? time : Reflect.get(target, name)),
    apply: time,
    construct: (target, given) => (given.length === 0 ? time() : Reflect.construct(target, given)),
  });
  Math.random = refuse('a random number');
  try {
    return work();
  } finally {
    globalThis.Date = date;
    Math.random = random;
  }
}

/** Runs a function that must depend only on its arguments and must not throw. */
export function callPure<T>(work: () => T, what: string): T {
  try {
    return withoutSurroundings(work);
  } catch (error) {
    return assert.fail(`${what}: it threw ${String(error)}`);
  }
}
