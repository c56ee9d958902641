import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import type { ClusterOptions } from './cluster.ts';
import { freePorts } from './free-ports.ts';

/** Writes the slurm.conf of a cluster in one folder: one user, no munge, each slurmd with a port of its own. */
export async function writeSlurmConf(directory: string, { sets, conf }: ClusterOptions): Promise<void> {
  const names = sets.flatMap(({ name, count }, set) =>
    Array.from({ length: count }, (_, index) => ({ set, feature: name, name: `${name}-${index + 1}` })),
  );
  const [port, ...ports] = await freePorts(names.length + 1);
  const user = userInfo().username;
  const programs = join(directory, 'programs');
  for (const folder of ['state', 'spool', 'programs']) mkdirSync(join(directory, folder), { recursive: true });
  const settings: Record<string, string | number | undefined> = {
    ClusterName: 'test',
    SlurmctldHost: `${hostname()}(127.0.0.1)`,
    SlurmUser: user,
    SlurmdUser: user,
    AuthType: 'auth/none',
    CredType: 'cred/none',
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    MpiDefault: 'none',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_CPU',
    SlurmctldPort: port,
    StateSaveLocation: join(directory, 'state'),
    SlurmctldPidFile: join(directory, 'slurmctld.pid'),
    SlurmdPidFile: join(directory, 'slurmd-%n.pid'),
    SlurmctldLogFile: join(directory, 'slurmctld.log'),
    SlurmdLogFile: join(directory, 'slurmd-%n.log'),
    SlurmdSpoolDir: join(directory, 'spool/%n'),
    ReturnToService: 2,
    SlurmdTimeout: 10,
    ResumeProgram: join(programs, 'resume'),
    SuspendProgram: join(programs, 'suspend'),
    ResumeFailProgram: join(programs, 'resume-fail'),
    SuspendTime: 4,
    SuspendTimeout: 5,
    ResumeTimeout: 30,
    ResumeRate: 0,
    SuspendRate: 0,
    SlurmctldParameters: 'idle_on_node_suspend,power_save_interval=1',
    SchedulerParameters: 'sched_interval=2,batch_sched_delay=0',
    PrivateData: 'cloud',
    KillWait: 2,
    ...conf,
  };
  const nodes = names.map(({ set, feature, name }, index) =>
    [
      `NodeName=${name} NodeAddr=127.0.0.1 Port=${ports[index]} CPUs=2 RealMemory=100`,
      `Feature=${feature} Weight=${(set + 1) * 10} State=CLOUD`,
    ].join(' '),
  );
  const lines = [
    ...Object.entries(settings).map(([key, value]) => `${key}=${value}`),
    ...nodes,
    'PartitionName=cloud Nodes=ALL Default=YES State=UP MaxTime=INFINITE',
  ];
  writeFileSync(join(directory, 'slurm.conf'), `${lines.join('\n')}\n`);
}
