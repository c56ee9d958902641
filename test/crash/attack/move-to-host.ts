import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Makes the process believe that its host was booted apart from those of other names. */
export function moveToHost(name: string): void {
  const { readFileSync } = fs;
  fs.readFileSync = ((...read: Parameters<typeof readFileSync>) =>
    read[0] === '/proc/sys/kernel/random/boot_id' ? name : readFileSync(...read)) as typeof readFileSync;
  syncBuiltinESMExports();
}
