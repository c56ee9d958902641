import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/**
 * Memory that the threads of this process share by its name, of zeros at first. Threads share it when the thread that
 * starts another one has asked for it before; else each has its own. `anew`: memory that takes the place of the present
 * one, for this thread and those that it starts from now on.
 */
export function threadMemory(name: string, bytes: number, anew = false): SharedArrayBuffer {
  const known: unknown = getEnvironmentData(name);
  if (!anew && known instanceof SharedArrayBuffer) return known;
  const made = new SharedArrayBuffer(bytes);
  setEnvironmentData(name, made);
  return made;
}
