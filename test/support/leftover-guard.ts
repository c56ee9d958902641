import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The time in milliseconds for processes that end by themselves after the removal of their directory. */
const endingMs = 5_000;
const memory = '/dev/shm';

/**
 * Creates temporary directories for a run of tests and returns them as environment variables. At its end the run
 * fails if it left a file in them or a process that has these variables; the guard removes both.
 */
export function ownTemporaryDirectories(): Readonly<Record<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'mt-'));
  // The mode of /tmp: some tests act as other users.
  chmodSync(directory, 0o1777);
  // Tests that write much data use memory, if the system has /dev/shm.
  const inMemory = existsSync(memory) ? mkdtempSync(join(memory, 'mt-')) : directory;
  process.once('exit', () => {
    const left = [...new Set([directory, inMemory])].flatMap((each) => {
      const names = readdirSync(each).map((name) => join(each, name));
      rmSync(each, { recursive: true, force: true, maxRetries: 3 });
      return names;
    });
    const running = endProcesses(directory);
    if (left.length + running.length === 0) return;
    process.stderr.write(
      `\nThe tests left something behind:\n${[...left, ...running].map((each) => `  ${each}\n`).join('')}`,
    );
    process.exitCode ||= 1;
  });
  return { TMPDIR: directory, TEST_MEMORY: inMemory };
}

/**
 * Ends the processes that have this temporary directory and do not end by themselves. Returns their descriptions; none
 * if the system has no /proc.
 */
function endProcesses(directory: string): readonly string[] {
  const end = performance.now() + endingMs;
  let left = processesWith(directory);
  while (left.length > 0 && performance.now() < end) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    left = processesWith(directory);
  }
  for (const { pid } of left) process.kill(pid, 'SIGKILL');
  return left.map(({ pid, command }) => `process ${pid}: ${command}`);
}

function processesWith(directory: string): readonly { readonly pid: number; readonly command: string }[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (!variables.includes(`TMPDIR=${directory}`)) return [];
      return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() }];
    } catch {
      // The process has ended, or belongs to another user.
      return [];
    }
  });
}
