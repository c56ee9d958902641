import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { endProcessesOf } from './end-processes.ts';
import { isAsked, obstacle } from './real.ts';

const root = join(import.meta.dirname, '../../../..');
const guide = readFileSync(join(root, 'docs/guides/slurm.md'), 'utf8');

(isAsked ? test.serial : test.serial.skip)('the commands of the guide lead to a job that runs', async (t) => {
  t.timeout(300_000);
  if (obstacle !== undefined) return t.fail(obstacle);
  const [, commands = ''] = /^## Try it on one host$.*?^```sh\n(.*?)^```$/ms.exec(guide) ?? [];
  t.regex(commands, /^srun /m);
  const directory = mkdtempSync(join(tmpdir(), 'muster-slurm-guide-'));
  try {
    mkdirSync(join(directory, 'node_modules/.bin'), { recursive: true });
    symlinkSync(root, join(directory, 'node_modules/muster'));
    symlinkSync(join(root, 'host/bin/muster'), join(directory, 'node_modules/.bin/muster'));
    const { stdout } = await promisify(execFile)('bash', ['-ec', commands], { cwd: directory, timeout: 280_000 });
    t.regex(stdout, /^ok +slurm\.conf: slurmctld has the programs, the times and the 2 nodes/m);
    t.deepEqual(/cpu-\d runs/g[Symbol.match](stdout)?.toSorted(), ['cpu-1 runs', 'cpu-2 runs']);
    t.regex(stdout, /^cpu-2 +up +on .* running$/m);
    t.regex(stdout, /Slurm and muster agree/);
  } finally {
    endProcessesOf(directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});
