/**
 * Starts the broker once and stops it, so that the first start of a newcomer finds everything stripped and compiled in Node's cache. Without
 * it that start takes twice as long, and keeps the stripper of types in memory as long as it runs. Run after an install; nothing depends on it.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const longestMs = 20_000;
const directory = mkdtempSync(join(tmpdir(), 'muster-warm-'));
const launcher = join(import.meta.dirname, '..', 'host', 'bin', 'muster');
const broker = spawn(launcher, ['server', 'start', '--foreground', '--port', '0', '--server-log-level', 'silent'], {
  cwd: directory,
  env: { ...process.env, MUSTER_DATA_DIR: directory },
  stdio: 'ignore',
});
const late = setTimeout(() => broker.kill('SIGKILL'), longestMs);
// It says where it is as soon as it answers; a moment later the loop's thread has loaded its part as well.
const watch = setInterval(() => {
  if (!existsSync(join(directory, 'server.json'))) return;
  clearInterval(watch);
  setTimeout(() => broker.kill('SIGTERM'), 1_000);
}, 20);
broker.on('error', done).on('exit', done);

function done(): void {
  clearTimeout(late);
  clearInterval(watch);
  rmSync(directory, { recursive: true, force: true });
}
