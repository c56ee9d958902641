import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker, until, type StartedBroker } from '../../../support/boot-broker.ts';
import { armedEnvironment, coverPrograms, writeScontrol } from './armed.ts';
import { endProcessesOf } from './end-processes.ts';
import { machinesIn, type Machine } from './machines.ts';
import { writeSlurmConf } from './slurm-conf.ts';

const root = join(import.meta.dirname, '../../../..');
const example = join(root, 'docs/examples/provider-processes');

/** A node set of the cluster: its nodes, and what its provider does with them. */
export interface SetSetup {
  readonly name: string;
  readonly count: number;
  /** How many machines the provider of the set has. Default: as many as nodes. */
  readonly max_processes?: number;
  /** The command of the machines, for the directory of the cluster. Default: slurmd. */
  readonly command?: (directory: string) => string;
}

export interface ClusterOptions {
  readonly sets: readonly SetSetup[];
  /** Lines of slurm.conf that override those of the stage. */
  readonly conf?: Readonly<Record<string, string | number>>;
  /** Fields of the section `slurm` of the configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * The cloud can be short of machines and take one back (`staging`), and broker and programs are killed when armed
   * (`arm`).
   */
  readonly attacked?: boolean;
}

/**
 * slurmctld seems to compare the boot with the resume in whole seconds, and slurmd -b reports a boot one second ago: a
 * process that starts at once, faster than any machine, is not accepted now and then.
 */
const slurmd = () => 'sleep 2; exec slurmd -N "$MUSTER_MACHINE_NAME" -b -D';

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
  /** What earlier brokers wrote. */
  readonly #outputs: string[] = [];
  #slurmctld: ChildProcess | undefined;
  /** How often slurmctld crashed by itself. */
  crashes = 0;

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
    const { sets, settings = {}, attacked = false } = this.#options;
    await writeSlurmConf(this.directory, this.#options);
    const provider = attacked ? join(import.meta.dirname, 'staged-processes.ts') : example;
    const configuration = {
      plugins: ['default-format', 'storage-sqlite', 'slurm', provider],
      providers: sets.map(({ name, count, max_processes = count }) => ({
        name,
        type: 'processes',
        config: { directory: this.processesOf(name), max_processes, stop_grace_ms: 2_000 },
      })),
      server: { rate_limit: { enabled: false }, log_level: 'debug' },
      slurm: {
        cluster: 'test',
        conf: this.conf,
        node_sets: sets.map(({ name, count }) => ({ nodes: `${name}-[1-${count}]`, template: name })),
        sync_s: 1,
        rest_s: 10,
        request_timeout: 20,
        ...(attacked ? { bin: writeScontrol(this.directory) } : {}),
        ...settings,
      },
    };
    writeFileSync(join(this.directory, 'muster.config.json'), JSON.stringify(configuration));
    const templates = sets.map(({ name, command = slurmd }) => ({
      template_id: name,
      provider_name: name,
      command: 'sh',
      args: ['-c', command(this.directory)],
      env: { SLURM_CONF: this.conf, PATH: process.env['PATH'] },
    }));
    writeFileSync(join(this.directory, 'templates.json'), JSON.stringify({ templates }));
    await this.startBroker();
    await this.muster('slurm', 'install', join(this.directory, 'programs'), '--data-directory', this.#data).then(
      (script) => this.#run('sh', ['-c', script]),
    );
    if (attacked) coverPrograms(this.directory);
    await this.startSlurmctld();
  }

  /** The directory of the provider instance of a set. */
  processesOf(set: string): string {
    return join(this.directory, 'processes', set);
  }

  get #data(): string {
    return join(this.directory, 'data');
  }

  async startBroker(): Promise<void> {
    const place = { directory: this.directory, simulator: undefined as never, close: async () => undefined };
    if (this.#broker) this.#outputs.push(this.#broker.output.stderr);
    const attack = this.#options.attacked ? armedEnvironment(this.directory) : {};
    this.#broker = await startBroker({ place, env: { SLURM_CONF: this.conf, ...attack } });
  }

  async killBroker(): Promise<void> {
    await this.broker.kill('SIGKILL');
  }

  /** Whether the broker runs: an armed one ends by itself. */
  get isBrokerAlive(): boolean {
    try {
      return this.#broker !== undefined && process.kill(this.#broker.pid, 0);
    } catch {
      return false;
    }
  }

  async startSlurmctld(): Promise<void> {
    const log = openSync(join(this.directory, 'slurmctld.out'), 'a');
    this.#slurmctld = spawn('slurmctld', ['-D'], {
      env: { ...process.env, SLURM_CONF: this.conf },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    // slurmctld 22.05 crashes now and then by itself. A service manager starts it again.
    this.#slurmctld.once('exit', (_, signal) => {
      if (signal !== 'SIGSEGV' && signal !== 'SIGABRT') return;
      this.crashes += 1;
      void this.startSlurmctld().catch(() => undefined);
    });
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

  /** The living machines. */
  machines(): readonly Machine[] {
    return machinesIn(this.#options.sets.map(({ name }) => this.processesOf(name)));
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

  /** Waits until Slurm and muster agree that every node is off, and no machine lives. The broker may end meanwhile. */
  async settled(): Promise<void> {
    await eventually(async () => {
      // The command would start a broker of its own.
      if (!this.isBrokerAlive) return false;
      const status = await this.muster('slurm', 'status', '--output', 'json').catch((error: unknown) => {
        if (/cannot be reached|no server/i.test(String(error))) return undefined;
        throw error;
      });
      if (status === undefined) return false;
      const { nodes, differences } = JSON.parse(status);
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
      [...this.#outputs, this.#broker?.output.stderr ?? '']
        .join('')
        .split('\n')
        .filter((line) => !/"call":"observe"|"method":"POST","url":"\/api\/v1\/operations/.test(line))
        .join('\n')
        .slice(-30_000)
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
