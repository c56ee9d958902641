import { readHostlist } from '../hostlist/read-hostlist.ts';

/** What squeue prints for `parseJobs`, with times in seconds (`SLURM_TIME_FORMAT=%s`). */
export const jobFormat = '%T %S %N';
/** The states of jobs that have nodes and do not end. */
export const jobStates = 'configuring,running,suspended';

/** A job that has nodes, as slurmctld shows it. */
interface SlurmJob {
  /** It waits for its nodes. */
  readonly isWaiting: boolean;
  /** When it got its nodes, or began to run on all of them. Epoch seconds. */
  readonly started_s: number;
  readonly nodes: readonly string[];
}

/** Reads what squeue prints in `jobFormat`. Lines of another form are skipped. */
export function parseJobs(text: string): SlurmJob[] {
  return text.split('\n').flatMap((line) => {
    const [, state, seconds, nodes = ''] = /^(\w+) (\d+) (\S+)$/.exec(line.trim()) ?? [];
    return state === undefined
      ? []
      : [{ isWaiting: state === 'CONFIGURING', started_s: Number(seconds), nodes: readHostlist(nodes) }];
  });
}

/**
 * The nodes on whose machines a job may run, whatever slurmctld says of the node. A job that waits for its nodes runs
 * nowhere, unless slurmctld was started after the job got them (`booted_s`, epoch seconds; undefined: unknown): then it
 * may know a state of the job that was saved before the job ran.
 */
export const busyNodes = (jobs: readonly SlurmJob[], booted_s: number | undefined): ReadonlySet<string> =>
  new Set(
    jobs.flatMap(({ isWaiting, started_s, nodes }) =>
      isWaiting && booted_s !== undefined && started_s >= booted_s ? [] : nodes,
    ),
  );
