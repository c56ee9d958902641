import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { living } from '../../../../docs/examples/provider-processes/test/living.ts';
import { startBroker, until, type StartedBroker } from '../../../support/boot-broker.ts';
import { endProcessesOf } from './end-processes.ts';

const root = join(import.meta.dirname, '../../../..');

/** A node set of the cluster: its nodes, and what its provider does with them. */
export interface SetSetup {
  readonly name: string;
  readonly count: number;
  /** How many machines the provider of the set has. Default: as many as nodes. */
  readonly max_processes?: number;
  /** The command of the machines. Default: slurmd. */
  readonly command?: string;
}

export interface ClusterOptions {
  readonly sets: readonly SetSetup[];
  /** Lines of slurm.conf that override those of the stage. */
  readonly conf?: Readonly<Record<string, string | number>>;
  /** Fields of the section `slurm` of the configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/**
 * slurmctld seems to compare the boot with the resume in whole seconds, and slurmd -b reports a boot one second ago: a
 * process that starts at once, faster than any machine, is not accepted now and then.
 */
const slurmd = 'sleep 2; exec slurmd -N "$MUSTER_MACHINE_NAME" -b -D';

/** A free port of the loopback address. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

/** Slurm's own times are up to two minutes, and the machine may be slow: a wait for less would be a bet. */
const patienceMs = 240_000;

/** Waits until `read` gives something, with the patience that Slurm needs. */
export const eventually = <T>(read: () => Promise<T | undefined | false>): Promise<T> => until(read, patienceMs);

/** No command of Slurm or muster takes so long, not even on a busy machine: `srun` waits for its machines. */
const commandMs = 240_000;

/** A real slurmctld in one folder, muster, and machines that are real slurmd processes. */
export class Cluster {
  readonly directory = mkdtempSync(join(tmpdir(), 'muster-slurm-'));
  readonly #options: ClusterOptions;
  #broker: StartedBroker | undefined;
  #slurmctld: ChildProcess | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  get conf(): string {
    return join(this.directory, 'slurm.conf');
  }
  get broker(): StartedBroker {
    if (!this.#broker) throw new Error('No broker runs.');
    return this.#broker;
  }

  /** All names of the nodes. */
  get names(): string[] {
    return this.#options.sets.flatMap(({ name, count }) =>
      Array.from({ length: count }, (_, index) => `${name}-${index + 1}`),
    );
  }

  async start(): Promise<void> {
    const { sets, settings = {} } = this.#options;
    await this.#writeConf();
    const processes = join(this.directory, 'processes');
    const configuration = {
      plugins: ['default-format', 'storage-sqlite', 'slurm', join(root, 'docs/examples/provider-processes')],
      providers: sets.map(({ name, count, max_processes = count }) => ({
        name,
        type: 'processes',
        config: { directory: join(processes, name), max_processes, stop_grace_ms: 2_000 },
      })),
      server: { rate_limit: { enabled: false }, log_level: 'debug' },
      slurm: {
        cluster: 'test',
        conf: this.conf,
        node_sets: sets.map(({ name, count }) => ({ nodes: `${name}-[1-${count}]`, template: name })),
        sync_s: 1,
        rest_s: 10,
        request_timeout: 20,
        ...settings,
      },
    };
    writeFileSync(join(this.directory, 'muster.config.json'), JSON.stringify(configuration));
    const templates = sets.map(({ name, command = slurmd }) => ({
      template_id: name,
      provider_name: name,
      command: 'sh',
      args: ['-c', command],
      env: { SLURM_CONF: this.conf, PATH: process.env['PATH'] },
    }));
    writeFileSync(join(this.directory, 'templates.json'), JSON.stringify({ templates }));
    await this.startBroker();
    await this.muster('slurm', 'install', join(this.directory, 'programs'), '--data-directory', this.#data).then(
      (script) => this.#run('sh', ['-c', script]),
    );
    await this.startSlurmctld();
  }

  get #data(): string {
    return join(this.directory, 'data');
  }

  async #writeConf(): Promise<void> {
    const port = await freePort();
    const user = userInfo().username;
    const programs = join(this.directory, 'programs');
    for (const folder of ['state', 'spool', 'programs']) mkdirSync(join(this.directory, folder), { recursive: true });
    const settings: Record<string, string | number> = {
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
      StateSaveLocation: join(this.directory, 'state'),
      SlurmctldPidFile: join(this.directory, 'slurmctld.pid'),
      SlurmdPidFile: join(this.directory, 'slurmd-%n.pid'),
      SlurmctldLogFile: join(this.directory, 'slurmctld.log'),
      SlurmdLogFile: join(this.directory, 'slurmd-%n.log'),
      SlurmdSpoolDir: join(this.directory, 'spool/%n'),
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
      ...this.#options.conf,
    };
    const nodes: string[] = [];
    for (const [index, { name, count }] of this.#options.sets.entries())
      for (let n = 1; n <= count; n++)
        nodes.push(
          [
            `NodeName=${name}-${n} NodeAddr=127.0.0.1 Port=${await freePort()} CPUs=2 RealMemory=100`,
            `Feature=${name} Weight=${(index + 1) * 10} State=CLOUD`,
          ].join(' '),
        );
    writeFileSync(
      this.conf,
      `${[
        ...Object.entries(settings).map(([key, value]) => `${key}=${value}`),
        ...nodes,
        'PartitionName=cloud Nodes=ALL Default=YES State=UP MaxTime=INFINITE',
      ].join('\n')}\n`,
    );
  }

  async startBroker(): Promise<void> {
    const place = { directory: this.directory, simulator: undefined as never, close: async () => undefined };
    this.#broker = await startBroker({ place, env: { SLURM_CONF: this.conf } });
  }

  async killBroker(): Promise<void> {
    await this.broker.kill('SIGKILL');
    this.#broker = undefined;
  }

  async startSlurmctld(): Promise<void> {
    const log = openSync(join(this.directory, 'slurmctld.out'), 'a');
    this.#slurmctld = spawn('slurmctld', ['-D'], {
      env: { ...process.env, SLURM_CONF: this.conf },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    await eventually(async () => /is UP/.test(await this.slurm('scontrol', 'ping').catch(() => '')));
  }

  async killSlurmctld(): Promise<void> {
    const child = this.#slurmctld;
    if (!child || (child.exitCode ?? child.signalCode) !== null) return;
    const ended = new Promise((resolve) => void child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** The output of a command of Slurm. */
  slurm(command: string, ...args: readonly string[]): Promise<string> {
    return this.#run(command, args);
  }

  /** The output of a command of muster; rejects with its output when it exits with an error. */
  muster(...args: readonly string[]): Promise<string> {
    return this.#run(join(root, 'host/bin/muster'), args);
  }

  #run(command: string, args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const env = { ...process.env, SLURM_CONF: this.conf };
      const limits = { maxBuffer: 1e8, timeout: commandMs, killSignal: 'SIGKILL' as const };
      execFile(command, args, { cwd: this.directory, env, ...limits }, (error, out, err) => {
        if (error) reject(new Error(`${command} ${args.join(' ').slice(0, 200)}: ${out}${err}`, { cause: error }));
        else resolve(out);
      });
    });
  }

  /** The living processes of machines. */
  machines(): readonly { readonly pid: number }[] {
    return this.#options.sets.flatMap(({ name }) => living(join(this.directory, 'processes', name)));
  }

  /** Kills a machine as a power cut does: its slurmd, and what runs of a job. */
  killMachine(pid: number, job: string): void {
    process.kill(-pid, 'SIGKILL');
    const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
    const all = rows.flatMap((row) => {
      const [, own, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? [];
      return own === undefined ? [] : [{ pid: Number(own), parent: Number(parent), args }];
    });
    const steps = all.filter(({ args }) => args.startsWith(`slurmstepd: [${job}.`));
    const children = (of: number): number[] =>
      all.flatMap((each) => (each.parent === of ? [each.pid, ...children(each.pid)] : []));
    for (const step of steps)
      for (const victim of [step.pid, ...children(step.pid)])
        try {
          process.kill(victim, 'SIGKILL');
        } catch {
          // It ended with its parent.
        }
  }

  /** The state of a job, as scontrol says it. */
  async job(id: string): Promise<string> {
    const text = await this.slurm('scontrol', 'show', 'job', id, '-o').catch(() => '');
    return /JobState=(\S+)/.exec(text)?.[1] ?? 'UNKNOWN';
  }

  /** Submits a batch job; its id. */
  async submit(...args: readonly string[]): Promise<string> {
    const out = await this.slurm('sbatch', '--parsable', '-o', join(this.directory, 'job-%j.out'), ...args);
    return out.trim();
  }

  /** Waits until Slurm and muster agree that every node is off, and no machine lives. */
  async settled(): Promise<void> {
    await eventually(async () => {
      const { nodes, differences } = JSON.parse(await this.muster('slurm', 'status', '--output', 'json'));
      return nodes.length === 0 && differences === 0 && this.machines().length === 0;
    });
  }

  logs(): string {
    const of = (name: string) => {
      try {
        return `--- ${name}\n${readFileSync(join(this.directory, name), 'utf8').slice(-6_000)}\n`;
      } catch {
        return '';
      }
    };
    const slurmds = readdirSync(this.directory).filter((name) => name.startsWith('slurmd-') && name.endsWith('.log'));
    return (
      ['slurmctld.log', 'programs/muster.log', ...slurmds].map(of).join('') +
      (this.#broker?.output.stderr ?? '').slice(-8_000)
    );
  }

  /** Ends everything that runs for this cluster, whatever state it is in, and removes its folder. */
  async stop(): Promise<void> {
    try {
      await Promise.allSettled([this.killSlurmctld(), this.#broker?.stop()]);
    } finally {
      this.abandon();
    }
  }

  /** The same at once, for the end of this process. */
  abandon(): void {
    endProcessesOf(this.directory);
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
