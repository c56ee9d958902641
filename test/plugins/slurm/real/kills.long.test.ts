import { setTimeout as sleep } from 'node:timers/promises';
import { arm, disarm, type Armed } from './armed.ts';
import { eventually, type Cluster } from './cluster.ts';
import { completed } from './completed.ts';
import { real } from './real.ts';
import { staging } from './staging.ts';

const two = {
  sets: [{ name: 'cpu', count: 2 }],
  conf: { SuspendTime: 2, SuspendTimeout: 3 },
  attacked: true,
};

/** Does something with a broker that dies at a point, and starts the broker again. Whether it came to the point. */
async function dying(cluster: Cluster, point: Armed, act: () => Promise<unknown>): Promise<boolean> {
  arm.commit(cluster.directory, point);
  const done = new AbortController();
  const acted = act().finally(() => done.abort());
  // It is awaited below, after the broker runs again.
  acted.catch(() => undefined);
  while (!done.signal.aborted && cluster.isBrokerAlive) await sleep(20);
  disarm(cluster.directory);
  // It may have died in between.
  await sleep(100);
  const died = !cluster.isBrokerAlive;
  if (died) await cluster.startBroker();
  await acted;
  return died;
}

/** How many commits a resume and a suspend of two nodes have at least, by the thread that makes them. */
const leastSteps = { interfaces: 2, loop: 5 };
/** And at most: later ones belong to observations. */
const mostSteps = { interfaces: 4, loop: 9 };

for (const thread of ['interfaces', 'loop'] as const)
  for (const phase of ['before', 'after'] as const)
    real(
      `a broker that is killed ${phase} each commit of its ${thread} in a resume and a suspend loses no job and no machine`,
      two,
      async (t, cluster) => {
        const met = { resume: 0, suspend: 0 };
        for (let nth = 1; nth <= mostSteps[thread]; nth += 1) {
          const resumed = await dying(cluster, { thread, nth, phase }, async () =>
            t.is(await cluster.slurm('srun', '-N2', 'echo', 'here'), 'here\nhere\n'),
          );
          const suspended = await dying(cluster, { thread, nth, phase }, () => cluster.settled());
          await cluster.settled();
          if (resumed) met.resume = nth;
          if (suspended) met.suspend = nth;
        }
        t.log(`killed at commit 1 to ${met.resume} of a resume, 1 to ${met.suspend} of a suspend`);
        t.true(Math.min(met.resume, met.suspend) >= leastSteps[thread], JSON.stringify(met));
      },
    );

real(
  'a machine that the cloud takes back is returned, and its job runs again on another one',
  two,
  async (t, cluster) => {
    const id = await cluster.submit('-N1', '--requeue', '--wrap', '[ -n "$SLURM_RESTART_COUNT" ] || sleep 300');
    await eventually(async () => (await cluster.job(id)) === 'RUNNING');
    const [machine] = cluster.machines();
    if (!machine) return t.fail();
    staging.reclaim(machine.directory, machine.machine_id, new Date(Date.now() + 120_000).toISOString());
    await eventually(async () => cluster.machines().every(({ machine_id }) => machine_id !== machine.machine_id));
    await completed(cluster, id);
    t.regex(await cluster.slurm('scontrol', 'show', 'job', id, '-o'), / Restarts=[1-9]/);
    await cluster.settled();
  },
);
