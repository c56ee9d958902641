import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The content of a file, or a clause that says why the file is not read. */
export type Bounded = { readonly bytes: Buffer } | { readonly wrong: string };

/**
 * Reads a regular file of at most `most` bytes. Refuses every other kind of file: reading a pipe would wait for a
 * writer, and a device has no end. Rejects with the error of the operating system when the file cannot be opened.
 */
export async function readBounded(path: string, most: number): Promise<Bounded> {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) return { wrong: 'is not a regular file' };
    if (found.size > most) return { wrong: `has ${found.size} bytes, more than ${most}` };
    // A file may grow while it is read, or report the size 0 with content (as in /proc): the bound applies to the
    // bytes read.
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const { bytesRead, buffer } = await file.read(
        Buffer.allocUnsafe(Math.min(most, Math.max(found.size, 4095)) + 1),
      );
      if (bytesRead === 0) return { bytes: Buffer.concat(chunks, size) };
      size += bytesRead;
      if (size > most) return { wrong: `has more than ${most} bytes` };
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
