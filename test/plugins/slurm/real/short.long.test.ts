import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, type ClusterOptions } from './cluster.ts';
import { real } from './real.ts';

// Plays that wait for none of Slurm's long times: each takes less than a minute.

const three: ClusterOptions = { sets: [{ name: 'cpu', count: 3 }] };

real('srun on one node gets its output, and its machine is gone afterwards', three, async (t, cluster) => {
  const began = performance.now();
  t.is(await cluster.slurm('srun', '-N1', 'sh', '-c', 'echo I am $SLURMD_NODENAME'), 'I am cpu-1\n');
  t.log(`srun took ${Math.round(performance.now() - began)} ms`);
  await cluster.settled();
});

real('a job on several nodes gets them all, each with its own machine', three, async (t, cluster) => {
  const out = await cluster.slurm('srun', '-N3', 'sh', '-c', 'echo $SLURMD_NODENAME');
  t.deepEqual(out.trim().split('\n').toSorted(), ['cpu-1', 'cpu-2', 'cpu-3']);
  const { requests } = JSON.parse(await cluster.muster('requests', 'list', '--all-resources', '--output', 'json'));
  t.is(requests.filter(({ machine_count }: { machine_count: number }) => machine_count === 3).length, 1);
  await cluster.settled();
});

real(
  'a job on more nodes than there is capacity gets none of them, and the reason stands at the nodes',
  { sets: [{ name: 'cpu', count: 3, max_processes: 1 }] },
  async (t, cluster) => {
    const ran = join(cluster.directory, 'ran');
    const id = await cluster.submit('-N3', '--wrap', `touch ${ran}`);
    await eventually(async () => /muster: FULL/.test(await cluster.slurm('scontrol', 'show', 'node', '-o')));
    await eventually(async () => cluster.machines().length === 0);
    // Slurm requeues it, which takes a moment.
    await eventually(async () => (await cluster.job(id)) === 'PENDING');
    t.false(existsSync(ran));
    await cluster.slurm('scancel', id);
    await cluster.settled();
  },
);

real('programs that are called twice, or late, start and end nothing twice', three, async (t, cluster) => {
  const program = (verb: string, nodes: string) => cluster.slurm(join(cluster.directory, 'programs', verb), nodes);
  const running = cluster.slurm('srun', '-N2', 'sleep', '6');
  await eventually(async () => cluster.machines().length === 2);
  await Promise.all([program('resume', 'cpu-[1-2]'), program('resume', 'cpu-[1-2]')]);
  await eventually(async () =>
    /State=(ALLOCATED|MIXED)/.test(await cluster.slurm('scontrol', 'show', 'node', 'cpu-1')),
  );
  // A suspend of nodes in use is late.
  await program('suspend', 'cpu-[1-2]');
  await running;
  await cluster.settled();
  const { machines } = JSON.parse(await cluster.muster('machines', 'list', '--all-resources', '--output', 'json'));
  t.is(machines.length, 2);
});

real(
  'without a comparison, the programs alone start and end the machines',
  { ...three, settings: { sync_s: 3_600 } },
  async (t, cluster) => {
    t.is(await cluster.slurm('srun', '-N2', 'echo', 'here'), 'here\nhere\n');
    t.is(cluster.machines().length, 2);
    await cluster.settled();
    // A person switches a node off whose job runs, and slurmctld calls the program.
    const id = await cluster.submit('-N1', '--requeue', '--wrap', 'sleep 60');
    await eventually(async () => (await cluster.job(id)) === 'RUNNING');
    await cluster.slurm('scontrol', 'update', 'nodename=cpu-1', 'state=power_down_force', 'reason=test');
    await eventually(async () => cluster.machines().length === 0);
    await cluster.slurm('scancel', id);
    await cluster.settled();
  },
);
