import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';

/** The set-up of the plays with a real slurmctld, on a host that has these programs only. */
function setUp(t: ExecutionContext, programs: Readonly<Record<string, string>>) {
  const bin = mkdtempSync(join(tmpdir(), 'slurm-set-up-'));
  t.teardown(() => rmSync(bin, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const script = join(import.meta.dirname, 'real/set-up.sh');
  const { status, stderr } = spawnSync('/bin/sh', [script], { env: { PATH: bin }, encoding: 'utf8' });
  return { status, stderr };
}

const root = { id: 'echo 0', timeout: 'shift 3; exec "$@"' };

for (const [title, programs, why] of [
  ['without apt-get', root, 'there is no apt-get'],
  ['without root', { ...root, id: 'echo 1000', 'apt-get': 'exit 0' }, 'it needs root'],
  ['with a mirror that does not answer', { ...root, 'apt-get': 'exit 100' }, 'apt-get update failed'],
] as const)
  test(`${title}, Slurm is not installed, and a word that is hard to overlook says so`, (t) => {
    const { status, stderr } = setUp(t, programs);
    t.is(status, 1);
    t.regex(stderr, /##### SLURM COULD NOT BE INSTALLED: .*\n##### .* SKIPPED/);
    t.true(stderr.includes(why) || stderr.includes('/sys/fs/cgroup'), stderr);
  });
