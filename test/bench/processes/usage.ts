import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second. */
const ticksPerSecond = 100;

/**
 * Processor time that a process with all its threads has used, in seconds; undefined where the system does not tell.
 */
export function cpuSeconds(pid: number): number | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name, in brackets, may hold spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/**
 * Processor time that the first thread of a process has used, in seconds: of a server, the one that answers. Garbage
 * collection that other threads do for it is not in it. Undefined where the system does not tell.
 */
export function firstThreadSeconds(pid: number): number | undefined {
  const text = read(`/proc/${pid}/task/${pid}/schedstat`);
  return text === undefined ? undefined : Number(text.split(' ')[0]) / 1e9;
}

/** Memory of a process that is in the machine's memory, in MB. */
export function rssMb(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
