import { readdirSync } from 'node:fs';
import { counter, gauge, type Family } from './family.ts';

/** What the system knows of this process. */
export function processFamilies(worker: number): readonly Family[] {
  const labels = { worker };
  const { user, system } = process.cpuUsage();
  const fds = openFiles();
  return [
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', [[labels, process.memoryUsage.rss()]]),
    counter('process_cpu_seconds_total', 'Processor time that the process used.', [[labels, (user + system) / 1e6]]),
    gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', [
      [labels, performance.timeOrigin / 1000],
    ]),
    gauge('nodejs_active_resources', 'Handles and requests that keep the process busy.', [
      [labels, process.getActiveResourcesInfo().length],
    ]),
    ...(fds === undefined ? [] : [gauge('process_open_fds', 'Open files and sockets.', [[labels, fds]])]),
  ];
}

function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    // Only Linux tells.
    return undefined;
  }
}
