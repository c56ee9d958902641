import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * A file of lines for one process at a time. Call `read` first, and once. A line that a crash left incomplete was
 * never acknowledged: `read` skips it, and the next `append` overwrites it.
 */
export async function openLines(path: string) {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = lockOf(`${path}.lock`);
  const file = await open(path, 'a+', 0o600);
  // Makes the name of a new file as durable as its lines.
  const folder = await open(directory);
  await folder.sync();
  await folder.close();
  let end = 0;
  let whole = false;

  async function* read() {
    let rest: Buffer = Buffer.alloc(0);
    let number = 0;
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let to = rest.indexOf(10); to >= 0; to = rest.indexOf(10, from)) {
        number += 1;
        yield { text: rest.toString('utf8', from, to), number };
        end += to + 1 - from;
        from = to + 1;
      }
      rest = rest.subarray(from);
    }
  }

  return {
    read,
    /** Resolves when the line is on the disk; when it rejects, it is not in the file. */
    async append(text: string): Promise<void> {
      const line = Buffer.from(`${text}\n`);
      if (!whole) await file.truncate(end);
      whole = false;
      await file.appendFile(line);
      await file.datasync();
      whole = true;
      end += line.length;
    },
    async close(): Promise<void> {
      await file.close();
      lock.close();
    },
  };
}

/** SQLite's lock: the system frees it at every end of the process. */
function lockOf(path: string): DatabaseSync {
  const lock = new DatabaseSync(path);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock.close();
    throw new Error('another process has it open');
  }
}
