const textType = 25;
const headerBytes = 20;
const lengthBytes = 4;
/** A character of a text takes at most three bytes. */
const mostBytes = 3;
/** Characters up to which a loop is cheaper than a call of Buffer. */
const shortText = 48;
const lastAscii = 0x7f;

const usualCapacity = 65_536;
const mostKept = 1_048_576;

/** The arrays are made here, one after the other, and copied from it. */
let scratch = Buffer.allocUnsafeSlow(usualCapacity);

/**
 * A bound value of type `text[]`, in the binary form of the protocol. The textual form would quote every character of
 * a document that needs it, here and in the server.
 */
export function textArray(values: readonly (string | number | null)[]): Buffer {
  if (values.length === 0) return emptyTexts;
  let at = headerBytes;
  let hasNull = 0;
  for (const value of values) {
    const text = typeof value === 'number' ? String(value) : value;
    reserve(at + lengthBytes + mostBytes * (text?.length ?? 0), at);
    if (text === null) {
      hasNull = 1;
      at = scratch.writeInt32BE(-1, at);
      continue;
    }
    const length = write(text, at + lengthBytes);
    scratch.writeInt32BE(length, at);
    at += lengthBytes + length;
  }
  // The number of dimensions, whether there are NULLs, the type, the length of the dimension, its first index.
  header(scratch, [1, hasNull, textType, values.length, 1]);
  const array = Buffer.from(scratch.subarray(0, at));
  if (scratch.length > mostKept) scratch = Buffer.allocUnsafeSlow(usualCapacity);
  return array;
}

/** Writes a text as UTF-8. Returns how many bytes it took. */
function write(text: string, at: number): number {
  if (text.length > shortText) return scratch.write(text, at);
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code > lastAscii) return scratch.write(text, at);
    scratch[at + i] = code;
  }
  return text.length;
}

/** Makes room for so many bytes, and keeps those before `used`. */
function reserve(bytes: number, used: number): void {
  if (bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * bytes);
  scratch.copy(larger, 0, 0, used);
  scratch = larger;
}

function header(bytes: Buffer, fields: readonly number[]): number {
  return fields.reduce((at, field) => bytes.writeInt32BE(field, at), 0);
}

const emptyTexts = Buffer.alloc(12);
header(emptyTexts, [0, 0, textType]);

/** A bound value of type `bigint[]`. */
export const numberArray = (values: readonly (string | number | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join()}}`;
