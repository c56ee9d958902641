import { randomUUID } from 'node:crypto';

/** Eight hexadecimal digits each, and small integers. */
const first = 0x10_00_00_00;
const last = 0x3f_ff_ff_ff;

let front = '';
let next = last + 1;

/** The X-Request-Id of a call that brings none: it has the form of a UUID. The front is random, new for each process and each billion of calls; then calls are counted. */
export function newCallId(): string {
  if (next > last) {
    front = randomUUID().slice(0, -8);
    next = first;
  }
  const id = front + next.toString(16);
  next += 1;
  return id;
}
