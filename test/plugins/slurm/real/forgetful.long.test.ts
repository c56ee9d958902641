import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { eventually, type Cluster } from './cluster.ts';
import { cutPower } from './machines.ts';
import { real } from './real.ts';

// A slurmctld that is killed comes back with a state that it saved a while ago. Slurm 22.05 saves its nodes seldom: it
// may know a job that runs, and take the node of the job for off.

const one = { sets: [{ name: 'cpu', count: 1 }], conf: { ResumeTimeout: 60 } };
const state = (cluster: Cluster) => cluster.slurm('scontrol', 'show', 'node', 'cpu-1', '-o');

async function restart(cluster: Cluster): Promise<void> {
  await cluster.killSlurmctld();
  await cluster.startSlurmctld();
}

/** Kills slurmctld while srun runs. The output of srun, and the machine. */
async function withRunningJob(t: ExecutionContext, cluster: Cluster, seconds: number) {
  const output = cluster.slurm('srun', '-N1', 'sh', '-c', `sleep ${seconds}; echo here`);
  output.catch(() => undefined);
  await eventually(async () => /RUNNING/.test(await cluster.slurm('squeue', '-h', '-o', '%T')));
  // The job is saved within seconds.
  await sleep(6_000);
  const [machine] = cluster.machines();
  if (!machine) throw new Error('The job runs, and there is no machine.');
  await restart(cluster);
  t.log(/State=\S+/.exec(await state(cluster))?.[0]);
  return { output, machine };
}

real(
  'a job that runs keeps its machine when slurmctld is killed and forgets that the node is up',
  one,
  async (t, cluster) => {
    const { output, machine } = await withRunningJob(t, cluster, 20);
    const over = new AbortController();
    output.finally(() => over.abort()).catch(() => undefined);
    const seen = new Set<string>();
    while (!over.signal.aborted) {
      for (const { machine_id } of cluster.machines()) seen.add(machine_id);
      t.is(cluster.machines().length, 1);
      await sleep(200);
    }
    t.is(await output, 'here\n');
    t.deepEqual([...seen], [machine.machine_id]);
    await cluster.settled();
  },
);

real(
  'a job whose machine is gone does not run for ever when slurmctld takes the node for off',
  one,
  async (t, cluster) => {
    const { output, machine } = await withRunningJob(t, cluster, 1_000);
    cutPower(machine, cluster.directory);
    await eventually(async () => (await cluster.slurm('squeue', '-h')) === '');
    // srun says that the node failed, and exits with 0.
    t.not(await output.catch(String), 'here\n');
    await cluster.settled();
    t.is(await cluster.slurm('srun', '-N1', 'echo', 'again'), 'again\n');
    await cluster.settled();
  },
);

real(
  'a job does not wait for ever behind an srun that ended and that slurmctld takes for one that runs',
  // Its machine lives until the next one is ordered.
  { sets: [{ name: 'cpu', count: 1, max_processes: 2 }], conf: { ...one.conf, InactiveLimit: 15 } },
  async (t, cluster) => {
    const [saved, old] = [join(cluster.directory, 'state'), join(cluster.directory, 'old-state')];
    const output = cluster.slurm('srun', '-N1', '--exclusive', 'sleep', '10');
    await eventually(async () => /RUNNING/.test(await cluster.slurm('squeue', '-h', '-o', '%T')));
    await sleep(6_000);
    cpSync(saved, old, { recursive: true });
    await output;
    await cluster.killSlurmctld();
    rmSync(saved, { recursive: true });
    cpSync(old, saved, { recursive: true });
    await cluster.startSlurmctld();
    t.regex(await cluster.slurm('squeue', '-h', '-o', '%T'), /RUNNING/);
    const id = await cluster.submit('-N1', '--exclusive', '--wrap', 'true');
    await eventually(async () => (await cluster.job(id)) === 'COMPLETED');
    await cluster.settled();
  },
);

real(
  'a node that did not respond before it was off is used after a restart of slurmctld and after it read slurm.conf',
  { sets: [{ name: 'cpu', count: 2 }], conf: { ...one.conf, SuspendTimeout: 3 } },
  async (t, cluster) => {
    for (const again of [() => restart(cluster), () => cluster.slurm('scontrol', 'reconfigure')]) {
      await cluster.slurm('scontrol', 'update', 'nodename=cpu-1', 'state=noresp');
      t.regex(await state(cluster), /State=IDLE\+CLOUD\+POWERED_DOWN\+NOT_RESPONDING /);
      await again();
      // slurmctld does not give the node to any job now.
      t.regex(await cluster.slurm('srun', '-N2', 'echo', 'here'), /here\nhere\n/);
      await cluster.settled();
      t.false((await state(cluster)).includes('NOT_RESPONDING'));
    }
  },
);
