import { readFileSync } from 'node:fs';

/** What `/proc/PID/stat` says of a process. */
export interface ProcessStat {
  /**
   * `ended`: the process is listed only until its parent reaps it; it holds no file and no lock. `ending`: its first
   * thread has ended and others have not; its files are still open and locked, and cannot be listed any more.
   */
  readonly state: 'alive' | 'ending' | 'ended';
  /** Start of the process, in hundredths of a second since the system was booted. */
  readonly startedTicks: number;
}

/**
 * Reads one line of `/proc/PID/stat`. A process with several threads gets the state Z as soon as its first thread has
 * ended: it has ended itself when no other thread is left.
 */
export function parseProcessStat(line: string): ProcessStat {
  // The process name may contain any characters: the fields are counted from the end of the name.
  const fields = line.slice(line.lastIndexOf(') ') + 2).split(' ');
  const threads = Number(fields[17]);
  const state = ['Z', 'X'].includes(fields[0] ?? '') ? (threads > 1 ? 'ending' : 'ended') : 'alive';
  return { state, startedTicks: Number(fields[19]) };
}

/** Undefined when the system has no `/proc`, or the process is not listed any more. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}
