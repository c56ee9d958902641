/**
 * Starts the broker once and stops it, so that the first start of a newcomer finds everything stripped and compiled in Node's cache. Without
 * it that start takes twice as long, and keeps the stripper of types in memory as long as it runs. Run after an install; nothing depends on it.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutFile } from '../config/defaults.ts';

const longestMs = 20_000;
const directory = mkdtempSync(join(tmpdir(), 'muster-warm-'));
const launcher = join(import.meta.dirname, '..', 'host', 'bin', 'muster');
// Neither what lies around the temporary directory nor what the installer's environment says is run by: an install asks
// no cloud, and runs nobody's program. What a newcomer has without a configuration is written down instead.
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
