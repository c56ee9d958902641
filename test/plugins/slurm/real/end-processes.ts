import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const endMs = 10_000;

/**
 * Kills every process that belongs to a directory: it has the directory in its environment or its arguments, works in
 * it, has a file of it open, or descends from such a process. Slurm's daemons detach from their parents and overwrite
 * their arguments and environment, so neither a process group nor one of these signs alone finds them all. Throws when
 * some are still alive after 10 s. Needs /proc.
 */
export function endProcessesOf(directory: string): void {
  const end = performance.now() + endMs;
  for (;;) {
    const left = processesOf(directory);
    if (left.length === 0) return;
    if (performance.now() > end) throw new Error(`The processes ${left.join(', ')} of ${directory} do not end.`);
    for (const pid of left)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}

/** The living processes of a directory; this process is none. */
export function processesOf(directory: string): readonly number[] {
  const all = readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    const stat = Number.isInteger(pid) && pid !== process.pid ? textOf(`/proc/${name}/stat`) : '';
    // After the name, which may have blanks and brackets: the state, the parent. A zombie waits for its parent only.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return stat === '' || state === 'Z' ? [] : [{ pid, parent: Number(parent) }];
  });
  const found = new Set(all.filter(({ pid }) => isOf(pid, directory)).map(({ pid }) => pid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

function isOf(pid: number, directory: string): boolean {
  const at = `/proc/${pid}`;
  const signs = [
    ...textOf(`${at}/environ`)
      .split('\0')
      .filter((line) => line.startsWith('SLURM_CONF=')),
    textOf(`${at}/cmdline`),
    linkOf(`${at}/cwd`),
  ];
  return (
    signs.some((sign) => sign.includes(directory)) ||
    filesOf(at).some((file) => linkOf(`${at}/fd/${file}`).startsWith(`${directory}/`))
  );
}

// A process may end, or belong to another user, at any point: it then has no signs.

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

function filesOf(at: string): readonly string[] {
  try {
    return readdirSync(`${at}/fd`);
  } catch {
    return [];
  }
}
