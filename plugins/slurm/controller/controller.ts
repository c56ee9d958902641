import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { writeHostlist } from '../hostlist/write-hostlist.ts';
import type { SlurmSettings } from '../settings.ts';
import { jobFormat, jobStates, nodesWithJobs, parseJobs, type NodesWithJobs } from './nodes-with-jobs.ts';
import { parseNodes, type SlurmNode } from './parse-nodes.ts';
import { throwRefusals } from './throw-refusals.ts';

/** slurmctld, as scontrol and squeue reach it. Every call rejects with a message that names the command. */
export interface Controller {
  /** All nodes that slurmctld knows. */
  nodes(timeout_ms?: number): Promise<readonly SlurmNode[]>;
  /** Those of the nodes that have a job. */
  withJobs(names: readonly string[], timeout_ms?: number): Promise<NodesWithJobs>;
  /** The fields of slurm.conf with their defaults, as `scontrol show config` prints them. */
  config(timeout_ms?: number): Promise<ReadonlyMap<string, string>>;
  /** Sets the state of nodes, with a reason. Rejects with all refusals; slurmctld sets the other nodes. */
  setState(names: readonly string[], state: string, reason?: string): Promise<void>;
  /** Lets a job that was requeued start now, instead of after two minutes. */
  startNow(job_id: number): Promise<void>;
}

const callMs = 10_000;
/** A timer may fire so much too early. */
const earlyMs = 5;
/** A hostlist on a command line. */
const namesAtOnce = 500;

export function controllerOf({ conf, bin }: Pick<SlurmSettings, 'conf' | 'bin'>): Controller {
  const env = environment(conf);

  const call = (program: 'scontrol' | 'squeue', args: readonly string[], timeout: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const file = bin === undefined ? program : join(bin, program);
      const began = performance.now();
      execFile(file, args, { env, timeout, maxBuffer: 256 * 1024 * 1024 }, (error, out, err) => {
        // When this thread was busy, Node.js drops the output of a program that ended in time, and reports no error.
        const isLate = performance.now() - began >= timeout - earlyMs;
        if (!error && !isLate) return resolve(out);
        const late = `no answer within ${timeout} ms`;
        const why = err.trim() || (error && out.trim()) || (error && !error.killed ? error.message : late);
        reject(new Error(`${program} ${args.slice(0, 2).join(' ')} failed: ${why}`, { cause: error }));
      });
    });
  const run = (args: readonly string[], timeout: number): Promise<string> => call('scontrol', args, timeout);

  const config = async (timeout_ms = callMs): Promise<ReadonlyMap<string, string>> =>
    new Map(
      (await run(['show', 'config'], timeout_ms)).split('\n').flatMap((line) => {
        const [, field, value] = /^(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
        return field === undefined || value === undefined ? [] : [[field, value] as const];
      }),
    );

  return {
    nodes: async (timeout_ms = callMs) => parseNodes(await run(['show', 'node', '-o'], timeout_ms)),
    async withJobs(names, timeout_ms = callMs) {
      const jobs: ReturnType<typeof parseJobs> = [];
      for (let at = 0; at < names.length; at += namesAtOnce) {
        const nodes = writeHostlist(names.slice(at, at + namesAtOnce));
        const args = ['-h', '-a', '-o', jobFormat, '-t', jobStates, '-w', nodes];
        jobs.push(...parseJobs(await call('squeue', args, timeout_ms)));
      }
      if (jobs.length === 0) return { held: new Set(), busy: new Set() };
      const booted = Number((await config(timeout_ms)).get('BOOT_TIME'));
      const { held, busy } = nodesWithJobs(jobs, Number.isNaN(booted) ? undefined : booted);
      const asked = (some: ReadonlySet<string>) => new Set(names.filter((name) => some.has(name)));
      return { held: asked(held), busy: asked(busy) };
    },
    config,
    async setState(names, state, reason) {
      const refused: unknown[] = [];
      for (let at = 0; at < names.length; at += namesAtOnce) {
        const nodes = writeHostlist(names.slice(at, at + namesAtOnce));
        const why = reason === undefined ? [] : [`reason=${reason}`];
        await run(['update', `nodename=${nodes}`, `state=${state}`, ...why], callMs).catch(
          (error: unknown) => void refused.push(error),
        );
      }
      throwRefusals(refused);
    },
    startNow: async (job_id) => void (await run(['update', `jobid=${job_id}`, 'StartTime=now'], callMs)),
  };
}

/** squeue takes defaults from variables of its own, which would hide jobs. */
function environment(conf: string | undefined): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SQUEUE_'));
  const given = conf === undefined ? {} : { SLURM_CONF: conf };
  return { ...Object.fromEntries(own), ...given, SLURM_TIME_FORMAT: '%s' };
}
