import { closeSync, constants, lstatSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Answer } from './script-exchange.ts';

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;

const megabyte = 1024 * 1024;
const longestText = 2_000;

/**
 * Writes one line about a call into the log file of its provider, or to standard error where no log directory is
 * named, or a link is in its place. Never fails. /
 */
export function logScript(env: NodeJS.ProcessEnv, script: string, { exit_code, output }: Answer): void {
  const level = exit_code === 0 ? 'debug' : 'error';
  const time = new Date().toISOString();
  const line = `${JSON.stringify({ level, time, pid: process.pid, script, exit_code, output: output.slice(0, longestText) })}\n`;
  const directory = env['HF_PROVIDER_LOGDIR'] || env['HF_LOGDIR'] || env['PRO_LSF_LOGDIR'];
  try {
    if (!directory) throw new Error('no log directory');
    const file = join(
      directory,
      `${env['HF_PROVIDER_NAME'] || env['PROVIDER_NAME'] || 'muster'}-provider.log.${hostname()}`,
    );
    mkdirSync(directory, { recursive: true });
    rotate(file, numberIn(env['HF_LOG_MAX_FILE_SIZE'], 10) * megabyte, numberIn(env['HF_LOG_MAX_ROTATE'], 5));
    const log = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o666);
    try {
      writeFileSync(log, line);
    } finally {
      closeSync(log);
    }
  } catch {
    process.stderr.write(line);
  }
}

const numberIn = (text: string | undefined, fallback: number): number =>
  text && /^\d+$/.test(text) ? Number(text) : fallback;

/**
 * `file` becomes `file.1`, that `file.2`, and so on, once it is large. Two scripts at once may rotate twice, which
 * loses nothing but order.
 */
function rotate(file: string, largest: number, kept: number): void {
  const size = lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size < largest || kept === 0) return;
  for (let number = kept - 1; number >= 0; number--) {
    const from = number === 0 ? file : `${file}.${number}`;
    if (lstatSync(from, { throwIfNoEntry: false })) renameSync(from, `${file}.${number + 1}`);
  }
}
