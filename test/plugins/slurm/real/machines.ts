import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { living } from '../../../../docs/examples/provider-processes/test/living.ts';

/** A living machine: the process that is, or becomes, the slurmd of a node. */
export interface Machine {
  readonly machine_id: string;
  readonly pid: number;
  /** The name of its node. Empty: it ends just now. */
  readonly node: string;
  /** The directory of its provider instance. */
  readonly directory: string;
}

/** The living machines of the directories of provider instances. */
export const machinesIn = (directories: readonly string[]): readonly Machine[] =>
  directories.flatMap((directory) =>
    living(directory).map((each) => ({ ...each, directory, node: nodeOf(each.pid) })),
  );

/** slurmd keeps its environment, or at least its arguments. */
function nodeOf(pid: number): string {
  const words = [...textOf(`/proc/${pid}/environ`).split('\0'), ...textOf(`/proc/${pid}/cmdline`).split('\0')];
  const variable = words.find((word) => word.startsWith('MUSTER_MACHINE_NAME='))?.split('=')[1];
  return variable ?? words[words.indexOf('-N') + 1] ?? '';
}

/**
 * Kills a machine as a power cut does: its slurmd, and what runs of jobs on it. A step of a job has left the group of
 * its slurmd, but has the log of its node open; what the step started descends from it. `cluster`: the directory of
 * the logs; other clusters have nodes of the same name.
 */
export function cutPower({ pid, node }: Pick<Machine, 'pid' | 'node'>, cluster: string): void {
  kill(-pid);
  const all = readdirSync('/proc').flatMap((name) => {
    const [, parent] = /^PPid:\s+(\d+)$/m.exec(/^\d+$/.test(name) ? textOf(`/proc/${name}/status`) : '') ?? [];
    return parent === undefined ? [] : [{ pid: Number(name), parent: Number(parent) }];
  });
  const withChildren = (of: number): number[] => [
    of,
    ...all.flatMap((each) => (each.parent === of ? withChildren(each.pid) : [])),
  ];
  for (const each of all)
    if (
      hasOpen(each.pid, join(cluster, `slurmd-${node}.log`)) &&
      textOf(`/proc/${each.pid}/cmdline`).startsWith('slurmstepd')
    )
      for (const victim of withChildren(each.pid)) kill(victim);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its parent.
  }
}

function hasOpen(pid: number, file: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((each) => readlinkSync(`/proc/${pid}/fd/${each}`) === file);
  } catch {
    return false;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
