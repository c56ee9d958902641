const textType = 25;
const headerBytes = 20;

/**
 * A bound value of type `text[]`, in the binary form of the protocol. The textual form would quote every character of
 * a document that needs it, here and in the server.
 */
export function textArray(values: readonly (string | number | null)[]): Buffer {
  if (values.length === 0) return emptyTexts;
  const texts = values.map((value) => (typeof value === 'number' ? String(value) : value));
  const lengths = texts.map((text) => (text === null ? -1 : Buffer.byteLength(text)));
  const size = lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), headerBytes);
  const bytes = Buffer.allocUnsafe(size);
  // The number of dimensions, whether there are NULLs, the type, the length of the dimension, its first index.
  let at = header(bytes, [1, lengths.includes(-1) ? 1 : 0, textType, texts.length, 1]);
  for (const [index, text] of texts.entries()) {
    at = bytes.writeInt32BE(lengths[index] ?? -1, at);
    if (text !== null) at += bytes.write(text, at);
  }
  return bytes;
}

function header(bytes: Buffer, fields: readonly number[]): number {
  return fields.reduce((at, field) => bytes.writeInt32BE(field, at), 0);
}

const emptyTexts = Buffer.alloc(12);
header(emptyTexts, [0, 0, textType]);

/** A bound value of type `bigint[]`. */
export const numberArray = (values: readonly (string | number | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join()}}`;
