/**
 * `npm run slurm:measure`: the time of `srun` from no machine to its output, with muster and with scripts of a few
 * lines that start and kill slurmd themselves, in turns. The machines of both wait 2 s before slurmd starts.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseNodes } from '../../../../plugins/slurm/controller/parse-nodes.ts';
import { Cluster, eventually } from './cluster.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '8' } } });
const bootMs = 2_000;
const options = { sets: [{ name: 'cpu', count: 2 }], conf: { SuspendTime: 1, SuspendTimeout: 2 } };

/** A cluster whose programs are scripts, without a broker. */
async function byHand(): Promise<Cluster> {
  const cluster = new Cluster(options);
  await cluster.start();
  await cluster.killBroker();
  const { directory, conf } = cluster;
  const head = `#!/bin/sh\nexport PATH=${process.env['PATH']} SLURM_CONF='${conf}'\nfor n in $(scontrol show hostnames "$1"); do`;
  const start = `setsid sh -c "sleep 2; exec slurmd -N $n -b -D" </dev/null >/dev/null 2>&1 &\n  echo $! >'${directory}'/$n.pid`;
  const end = `kill "$(cat '${directory}'/$n.pid)"`;
  for (const [verb, body] of [
    ['resume', start],
    ['suspend', end],
    ['resume-fail', end],
  ])
    writeFileSync(join(directory, 'programs', verb ?? ''), `${head}\n  ${body}\ndone\n`, { mode: 0o755 });
  return cluster;
}

/** Milliseconds of one srun on two nodes that are off. */
async function measured(cluster: Cluster): Promise<number> {
  await eventually(async () => {
    const nodes = parseNodes(await cluster.slurm('scontrol', 'show', 'node', '-o'));
    return nodes.every(({ base, flags }) => base === 'IDLE' && flags.has('POWERED_DOWN'));
  });
  const began = performance.now();
  await cluster.slurm('srun', '-N2', 'true');
  return performance.now() - began;
}

const clusters: Cluster[] = [];
try {
  const muster = new Cluster(options);
  clusters.push(muster);
  await muster.start();
  const scripts = await byHand();
  clusters.push(scripts);
  const times = new Map([muster, scripts].map((cluster) => [cluster, [] as number[]]));
  for (let run = 0; run < Number(values.runs); run += 1)
    for (const [cluster, list] of times) list.push(await measured(cluster));
  for (const [name, cluster] of [
    ['muster', muster],
    ['by hand', scripts],
  ] as const) {
    const all = (times.get(cluster) ?? []).toSorted((one, other) => one - other);
    const shown = (ms: number | undefined): string => `${Math.round(ms ?? 0)} ms`;
    process.stdout.write(
      `${name.padEnd(8)} median ${shown(all[Math.floor(all.length / 2)])}, ${shown(all[0])} to ${shown(all.at(-1))}, ${bootMs} ms of it the boot; ${all.length} runs\n`,
    );
  }
} finally {
  await Promise.allSettled(clusters.map((cluster) => cluster.stop()));
}
