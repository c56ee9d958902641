import { readHostlist } from '../hostlist/read-hostlist.ts';

/** What squeue prints for `parseJobs`, with times in seconds (`SLURM_TIME_FORMAT=%s`). */
export const jobFormat = '%S %N';
/** The states of jobs that have nodes and do not end. */
export const jobStates = 'configuring,running,suspended';

/** A job that has nodes, as slurmctld shows it. */
interface SlurmJob {
  /** When it got its nodes, or began to run on all of them. Epoch seconds. */
  readonly started_s: number;
  readonly nodes: readonly string[];
}

/** Reads what squeue prints in `jobFormat`. Lines of another form are skipped. */
export function parseJobs(text: string): SlurmJob[] {
  return text.split('\n').flatMap((line) => {
    const [, seconds, nodes = ''] = /^(\d+) (\S+)$/.exec(line.trim()) ?? [];
    return seconds === undefined ? [] : [{ started_s: Number(seconds), nodes: readHostlist(nodes) }];
  });
}

/** Nodes on which Slurm has jobs, although it takes them for off or starts them. */
export interface NodesWithJobs {
  /** All of them. */
  readonly held: ReadonlySet<string>;
  /**
   * The nodes on whose machines a job may run that slurmctld does not know to be up: it was started after the job got
   * its nodes, so its state of the node, and of a job that waits, may have been saved before the node was up.
   */
  readonly busy: ReadonlySet<string>;
}

/** `booted_s`: when slurmctld was started, in epoch seconds. Undefined: unknown. */
export const nodesWithJobs = (jobs: readonly SlurmJob[], booted_s: number | undefined): NodesWithJobs => ({
  held: new Set(jobs.flatMap(({ nodes }) => nodes)),
  busy: new Set(
    jobs.flatMap(({ started_s, nodes }) => (booted_s !== undefined && started_s >= booted_s ? [] : nodes)),
  ),
});
