import test from 'ava';
import { nodesWithJobs, parseJobs } from '../../../plugins/slurm/controller/nodes-with-jobs.ts';

// What squeue of Slurm 22.05 prints.
const text = '1795680399 cpu-[1-2]\n1795680395 cpu-3,big-1\n\n';
const busy = (booted_s?: number) => [...nodesWithJobs(parseJobs(text), booted_s).busy].toSorted();

test('a job may run on its nodes, whatever Slurm says of them, if slurmctld was started after it got them', (t) => {
  t.deepEqual(busy(1_795_680_400), ['big-1', 'cpu-1', 'cpu-2', 'cpu-3']);
  t.deepEqual(busy(1_795_680_399), ['big-1', 'cpu-3'], 'in the second of the start: since then');
  t.deepEqual(busy(1), []);
});

test('without the time of the start it may run', (t) => {
  t.deepEqual(busy(), ['big-1', 'cpu-1', 'cpu-2', 'cpu-3']);
});

test('lines of another form are skipped', (t) => {
  t.deepEqual(parseJobs('slurm_load_jobs error\nN/A cpu-1\n1795680399 \n'), []);
});
