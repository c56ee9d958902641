import { randomUUID } from 'node:crypto';

/** The range of the counter: eight hexadecimal digits, and small integers for V8. */
const first = 0x10_00_00_00;
const last = 0x3f_ff_ff_ff;

let prefix = '';
let next = last + 1;

/**
 * Returns an X-Request-Id, in the form of a UUID, for a call that has none. The prefix is random and changes with each
 * process and each billion of calls; the rest is a counter.
 */
export function newCallId(): string {
  if (next > last) {
    prefix = randomUUID().slice(0, -8);
    next = first;
  }
  const id = prefix + next.toString(16);
  next += 1;
  return id;
}
