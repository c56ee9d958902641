import { existsSync, readFileSync } from 'node:fs';

const hasProc = existsSync('/proc/self/stat');

/**
 * The start of a process, as text that differs for every process that ever has this pid. Undefined: there is no such
 * process, or it is a zombie.
 */
export const startOf = (pid: number): string | undefined => (hasProc ? fromProc(pid) : fromPs(pid));

function fromProc(pid: number): string | undefined {
  try {
    // The name, in parentheses, may contain anything; after it come the state and, as the 20th, the start in ticks
    // since the boot.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return /[ZX]/.test(fields[0] ?? '') ? undefined : `${fields[19]} ticks after boot ${bootId()}`;
  } catch (error) {
    // Any other error, such as too many open files, proves nothing about the process.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

function fromPs(pid: number): string | undefined {
  try {
    // Not imported: every runner would load the module, and Linux does not need it.
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const [state = '', ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env,
    })
      .trim()
      .split(/\s+/);
    return state.startsWith('Z') ? undefined : start.join(' ');
  } catch (error) {
    if ((error as { status?: unknown }).status === 1) return undefined;
    throw error;
  }
}
