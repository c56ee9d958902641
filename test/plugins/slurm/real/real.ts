import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { Cluster, type ClusterOptions } from './cluster.ts';
import { endWithThisProcess } from './end-with-this-process.ts';

/** Longer than each wait in a play, so that a wait that fails says what did not come; below the limit of the test. */
const playMs = 480_000;
const testMs = 600_000;

/** Why Slurm cannot be used here. Undefined: it can. */
export const obstacle = ((): string | undefined => {
  try {
    execFileSync('slurmctld', ['-V'], { timeout: 30_000 });
    execFileSync('slurmd', ['-V'], { timeout: 30_000 });
  } catch {
    return 'SLURM IS NOT INSTALLED; test/plugins/slurm/real/set-up.sh installs it';
  }
  if (!existsSync('/sys/fs/cgroup')) return 'SLURMD NEEDS /sys/fs/cgroup';
  return process.platform === 'linux' ? undefined : 'SLURM NEEDS LINUX';
})();

/** Whether the plays with Slurm shall run: they take minutes. */
export const isAsked = process.env['MUSTER_REQUIRE_SLURM'] !== undefined;

/**
 * A play on a cluster of its own, with a real slurmctld and real slurmd processes. One runs at a time. They take
 * minutes, so they are skipped unless `npm run slurm` asks for them.
 */
export const real = (
  title: string,
  options: ClusterOptions,
  play: (t: ExecutionContext, cluster: Cluster) => Promise<void>,
) =>
  (isAsked ? test.serial : test.serial.skip)(title, async (t) => {
    t.timeout(testMs);
    if (obstacle !== undefined) return t.fail(obstacle);
    const cluster = new Cluster(options);
    const isStopped = endWithThisProcess(cluster);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`The play did not end within ${playMs / 1000} s.`)), playMs);
    });
    try {
      await Promise.race([cluster.start().then(() => play(t, cluster)), late]);
    } catch (error) {
      t.log(cluster.logs());
      throw error;
    } finally {
      clearTimeout(timer);
      await cluster.stop();
      isStopped();
    }
  });
