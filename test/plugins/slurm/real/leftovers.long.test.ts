import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { until } from '../../../support/boot-broker.ts';
import { endProcessesOf, processesOf } from './end-processes.ts';
import { isAsked, obstacle } from './real.ts';

const campaign = join(import.meta.dirname, '../campaign/run.ts');
/** Throws where nobody catches, in the process of the campaign only, once its slurmctld runs. */
const thrower = `import { globSync } from 'node:fs';
setInterval(() => {
  if (globSync(process.env.TMPDIR + '/muster-slurm-*/slurmctld.pid').length > 0) throw new Error('nobody catches this');
}, 100);`;

for (const [how, options, signal] of [
  ['an exception that nobody catches', ['--import', `data:text/javascript,${encodeURIComponent(thrower)}`], undefined],
  ['a signal', [], 'SIGTERM'],
] as const)
  (isAsked ? test.serial : test.serial.skip)(`a campaign that ends by ${how} leaves nothing behind`, async (t) => {
    t.timeout(120_000);
    if (obstacle !== undefined) return t.fail(obstacle);
    const directory = mkdtempSync(join(tmpdir(), 'leftovers-'));
    try {
      const args = [...options, campaign, '--runs', '1', '--seed', '1'];
      const env = { ...process.env, TMPDIR: directory };
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
      let errors = '';
      child.stderr.on('data', (text: Buffer) => void (errors += text.toString()));
      const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
      if (signal) {
        await until(async () => slurmctldOf(directory), 60_000);
        child.kill(signal);
      }
      t.not(await ended, 0);
      t.is(errors.includes('nobody catches this'), !signal, errors);
      t.deepEqual(processesOf(directory), []);
      t.deepEqual(readdirSync(directory), []);
    } finally {
      endProcessesOf(directory);
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    }
  });

const slurmctldOf = (directory: string): boolean =>
  readdirSync(directory, { recursive: true }).some((file) => String(file).endsWith('slurmctld.pid'));
