/**
 * Starts the broker once and stops it, so that the first real start finds everything stripped and compiled in Node's
 * cache. Otherwise that start takes twice as long, and keeps the type stripper in memory. Runs after an install;
 * nothing depends on it.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutFile } from '../config/samples.ts';

const longestMs = 20_000;
const directory = mkdtempSync(join(tmpdir(), 'muster-warm-'));
const launcher = join(import.meta.dirname, '..', 'host', 'bin', 'muster');
// The start uses neither files around the temporary directory nor the environment of the installer: an install calls
// no cloud, and runs no foreign program. The configuration written here equals the one that applies without any file.
const configuration = join(directory, 'muster.config.json');
writeFileSync(configuration, JSON.stringify(withoutFile), { mode: 0o600, flag: 'wx' });
const around = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MUSTER_')));
const options = ['--config', configuration, '--port', '0', '--server-log-level', 'silent'];
const broker = spawn(launcher, ['server', 'start', '--foreground', ...options], {
  cwd: directory,
  env: { ...around, MUSTER_DATA_DIR: directory },
  stdio: 'ignore',
});
const late = setTimeout(() => broker.kill('SIGKILL'), longestMs);
// The server prints its address as soon as it answers; shortly afterwards the loop thread has loaded its part too.
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
