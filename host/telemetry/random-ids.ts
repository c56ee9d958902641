import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(8_192);
/** The pool as hexadecimal digits: to take a part of a text costs less than to encode a part of the bytes. */
let digits = '';
let used = 0;

function randomDigits(count: number): string {
  if (used + count > digits.length) {
    digits = randomFillSync(pool).toString('hex');
    used = 0;
  }
  used += count;
  return digits.slice(used - count, used);
}

export const newTraceId = (): string => randomDigits(32);
export const newSpanId = (): string => randomDigits(16);
