import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cutPower } from './machines.ts';
import { real } from './real.ts';
import { eventually, type ClusterOptions } from './cluster.ts';

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

real(
  'a machine that never boots is returned, and its node can be used again',
  {
    sets: [{ name: 'cpu', count: 1, command: () => 'exec sleep 1000' }],
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
  },
);

// Slurm needs from 30 s to minutes to see that the node is dead: it runs at night.
real('a machine that dies while its job runs is replaced, and the job runs again', three, async (t, cluster) => {
  const id = await cluster.submit('-N1', '--requeue', '--wrap', '[ -n "$SLURM_RESTART_COUNT" ] || sleep 300');
  await eventually(async () => (await cluster.job(id)) === 'RUNNING');
  const [machine] = cluster.machines();
  if (!machine) return t.fail();
  cutPower(machine);
  // The requeued job waits 121 s, or starts at once: Slurm decides by when it sees the node fail.
  await eventually(async () => {
    const state = await cluster.job(id);
    if (state === 'PENDING')
      await cluster.slurm('scontrol', 'update', `jobid=${id}`, 'StartTime=now').catch(() => undefined);
    return state === 'COMPLETED';
  });
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
    await eventually(async () => {
      if ((await cluster.job(id)) === 'PENDING')
        await cluster.slurm('scontrol', 'update', `jobid=${id}`, 'StartTime=now').catch(() => undefined);
      return (await cluster.job(id)) === 'COMPLETED';
    });
    await cluster.settled();
    t.is(cluster.machines().length, 0);
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
    t.is(await cluster.slurm('srun', '-N2', '-l', 'echo', 'here'), '0: here\n1: here\n');
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
