import { eventually, type ClusterOptions } from './cluster.ts';
import { completed } from './completed.ts';
import { cutPower } from './machines.ts';
import { real } from './real.ts';

const three: ClusterOptions = { sets: [{ name: 'cpu', count: 3 }] };

real(
  'a job whose set lacks capacity runs on the nodes of another set',
  {
    sets: [
      { name: 'spot', count: 2, max_processes: 1 },
      { name: 'ondemand', count: 2 },
    ],
  },
  async (t, cluster) => {
    const id = await cluster.submit('-N2', '--requeue', '--wrap', 'srun sh -c "echo $SLURMD_NODENAME"');
    await eventually(async () => (await cluster.job(id)) === 'COMPLETED');
    const nodes = await cluster.slurm('scontrol', 'show', 'job', id, '-o');
    t.regex(nodes, / NodeList=ondemand-\[1-2\] /);
    await cluster.settled();
  },
);

/** Only the second machine starts slurmd. */
const secondBoots = (directory: string) =>
  `sleep 2; mkdir '${directory}/booted' && exec sleep 1000; exec slurmd -N "$MUSTER_MACHINE_NAME" -b -D`;

real(
  'a machine that never boots is returned, and the next job gets its node with another machine',
  {
    sets: [{ name: 'cpu', count: 1, command: secondBoots }],
    conf: { ResumeTimeout: 10 },
  },
  async (t, cluster) => {
    const id = await cluster.submit('-N1', '--wrap', 'true');
    await eventually(async () => cluster.machines().length === 1);
    await eventually(async () => /ResumeTimeout/.test(await cluster.slurm('scontrol', 'show', 'node', '-o')));
    await eventually(async () => cluster.machines().length === 0);
    await cluster.slurm('scancel', id);
    await cluster.settled();
    t.regex(await cluster.slurm('scontrol', 'show', 'node', 'cpu-1'), /State=IDLE\+CLOUD\+POWERED_DOWN/);
    t.is(await cluster.slurm('srun', '-N1', 'echo', 'here'), 'here\n');
    await cluster.settled();
  },
);

// Slurm needs from 30 s to minutes to see that the node is dead: it runs at night.
real('a machine that dies while its job runs is replaced, and the job runs again', three, async (t, cluster) => {
  const id = await cluster.submit('-N1', '--requeue', '--wrap', '[ -n "$SLURM_RESTART_COUNT" ] || sleep 300');
  await eventually(async () => (await cluster.job(id)) === 'RUNNING');
  const [machine] = cluster.machines();
  if (!machine) return t.fail();
  cutPower(machine, cluster.directory);
  // The requeued job waits 121 s, or starts at once: Slurm decides by when it sees the node fail.
  await completed(cluster, id);
  t.regex(await cluster.slurm('scontrol', 'show', 'job', id, '-o'), / Restarts=[1-9]/);
  await cluster.settled();
});

real(
  'a broker that is killed while a job runs, and misses the suspend, ends its machine later',
  three,
  async (t, cluster) => {
    const id = await cluster.submit('-N1', '--wrap', 'sleep 3');
    await eventually(async () => (await cluster.job(id)) === 'RUNNING');
    await cluster.killBroker();
    await eventually(async () => (await cluster.job(id)) === 'COMPLETED');
    // The program gives up after 8 s and keeps the wish.
    await eventually(async () => /kept for the next call/.test(cluster.logs()));
    t.is(cluster.machines().length, 1);
    await cluster.startBroker();
    await cluster.settled();
  },
);

real(
  'a slurmctld that is killed right after a resume gets its nodes, and no machine is left',
  three,
  async (t, cluster) => {
    const id = await cluster.submit('-N2', '--requeue', '--wrap', 'srun hostname');
    await eventually(async () => cluster.machines().length === 2);
    await cluster.killSlurmctld();
    await cluster.startSlurmctld();
    await eventually(async () => /COMPLETED|PENDING/.test(await cluster.job(id)));
    await completed(cluster, id);
    await cluster.settled();
    t.is(cluster.machines().length, 0);
  },
);
