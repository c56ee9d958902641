import test from 'ava';
import { busyNodes, parseJobs } from '../../../plugins/slurm/controller/busy-nodes.ts';

// What squeue of Slurm 22.05 prints.
const text = 'RUNNING 1795680399 cpu-[1-2]\nCONFIGURING 1795680395 cpu-3,big-1\nSUSPENDED 1795680300 cpu-07\n\n';
const busy = (booted_s?: number) => [...busyNodes(parseJobs(text), booted_s)].toSorted();

test('a job that runs is on its machines, whenever slurmctld was started', (t) => {
  t.deepEqual(busy(1), ['cpu-07', 'cpu-1', 'cpu-2']);
});

test('a job that waits for its nodes runs nowhere, unless slurmctld was started after it got them', (t) => {
  t.deepEqual(busy(1_795_680_395), ['cpu-07', 'cpu-1', 'cpu-2'], 'in the second of the start: since then');
  t.deepEqual(busy(1_795_680_396), ['big-1', 'cpu-07', 'cpu-1', 'cpu-2', 'cpu-3']);
});

test('without the time of the start it may run', (t) => {
  t.deepEqual(busy(), ['big-1', 'cpu-07', 'cpu-1', 'cpu-2', 'cpu-3']);
});

test('lines of another form are skipped', (t) => {
  t.deepEqual(parseJobs('slurm_load_jobs error\nRUNNING N/A cpu-1\nPENDING 1795680399 \n'), []);
});
