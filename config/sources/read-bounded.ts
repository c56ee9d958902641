import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** What a file holds, or in a few words why it is not read. */
export type Bounded = { readonly bytes: Buffer } | { readonly wrong: string };

/**
 * Reads a file that somebody named, unless it is no ordinary file or larger than `most` bytes: a pipe would be waited for, a device never ends, and a file may
 * have any size. Rejects as the system does where there is none.
 */
export async function readBounded(path: string, most: number): Promise<Bounded> {
  // To open a pipe would else wait until somebody writes into it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) return { wrong: 'is no file' };
    if (found.size > most) return { wrong: `has ${found.size} bytes, more than ${most}` };
    // One that grows meanwhile, or says that it is empty and is not, is read no further.
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(most, Math.max(found.size, 4095)) + 1));
      if (bytesRead === 0) return { bytes: Buffer.concat(chunks, size) };
      size += bytesRead;
      if (size > most) return { wrong: `has more than ${most} bytes` };
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
