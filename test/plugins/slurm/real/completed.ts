import { eventually, type Cluster } from './cluster.ts';

/** So long Slurm may still end what a requeued job left on its node: it must not start there before. */
const cleaningMs = 15_000;

/** Waits for the end of a job. One that was requeued starts after a while, and not after two minutes. */
export async function completed(cluster: Cluster, id: string): Promise<void> {
  let pending = performance.now();
  await eventually(async () => {
    const state = await cluster.job(id);
    if (state !== 'PENDING') pending = performance.now();
    else if (performance.now() - pending > cleaningMs)
      await cluster.slurm('scontrol', 'update', `jobid=${id}`, 'StartTime=now').catch(() => undefined);
    return state === 'COMPLETED';
  });
}
