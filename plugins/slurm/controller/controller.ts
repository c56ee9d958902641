import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { writeHostlist } from '../hostlist/write-hostlist.ts';
import type { SlurmSettings } from '../settings.ts';
import { parseNodes, type SlurmNode } from './parse-nodes.ts';
import { throwRefusals } from './throw-refusals.ts';

/** slurmctld, as scontrol reaches it. Every call rejects with a message that names the command. */
export interface Controller {
  /** All nodes that slurmctld knows. */
  nodes(timeout_ms?: number): Promise<readonly SlurmNode[]>;
  /** The fields of slurm.conf with their defaults, as `scontrol show config` prints them. */
  config(): Promise<ReadonlyMap<string, string>>;
  /** Sets the state of nodes, with a reason. Rejects with all refusals; slurmctld sets the other nodes. */
  setState(names: readonly string[], state: string, reason?: string): Promise<void>;
  /** Lets a job that was requeued start now, instead of after two minutes. */
  startNow(job_id: number): Promise<void>;
}

const callMs = 10_000;
/** A hostlist on a command line. */
const namesAtOnce = 500;

export function controllerOf({ conf, bin }: Pick<SlurmSettings, 'conf' | 'bin'>): Controller {
  const program = bin === undefined ? 'scontrol' : join(bin, 'scontrol');
  const env = { ...process.env, ...(conf === undefined ? {} : { SLURM_CONF: conf }) };

  const run = (args: readonly string[], timeout: number): Promise<string> =>
    new Promise((resolve, reject) => {
      execFile(program, args, { env, timeout, maxBuffer: 256 * 1024 * 1024 }, (error, out, err) => {
        if (!error) return resolve(out);
        const why = err.trim() || out.trim() || (error.killed ? `no answer within ${timeout} ms` : error.message);
        reject(new Error(`scontrol ${args.slice(0, 2).join(' ')} failed: ${why}`, { cause: error }));
      });
    });

  return {
    nodes: async (timeout_ms = callMs) => parseNodes(await run(['show', 'node', '-o'], timeout_ms)),
    config: async () =>
      new Map(
        (await run(['show', 'config'], callMs)).split('\n').flatMap((line) => {
          const [, field, value] = /^(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
          return field === undefined || value === undefined ? [] : [[field, value] as const];
        }),
      ),
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
