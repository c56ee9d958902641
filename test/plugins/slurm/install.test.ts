import test from 'ava';
import { install } from '../../../plugins/slurm/operations/install.ts';
import { snippet } from '../../../plugins/slurm/program/snippet.ts';
import type { SlurmSettings } from '../../../plugins/slurm/settings.ts';

const settings = (nodes: string) =>
  ({
    cluster: 'c',
    node_sets: [{ nodes, template: 'small' }],
    request_timeout: 600,
    sync_s: 15,
  }) as unknown as SlurmSettings;

test('a line break in a hostlist does not end a line of slurm.conf', (t) => {
  t.regex(snippet(settings('cpu-1,\nEND_OF_FILE\n,cpu-2'), '/opt/m'), /^NodeName=cpu-1,END_OF_FILE,cpu-2 CPUs=/m);
});

test('the times of the snippet fit to the time-out of requests and to the comparison', (t) => {
  const times = (more: object) => {
    const text = snippet({ ...settings('cpu-1'), ...more }, '/opt/m');
    return ['ResumeTimeout', 'SuspendTimeout'].map((field) => new RegExp(`^${field}=(\\d+)$`, 'm').exec(text)?.[1]);
  };
  t.deepEqual(times({}), ['900', '120']);
  t.deepEqual(times({ request_timeout: 1_800, sync_s: 60 }), ['2100', '180']);
});

test('paths that would break the script or slurm.conf are refused', (t) => {
  const { directory, log, data_directory } = install.input.properties;
  const allows = (field: object, text: string) => new RegExp((field as { pattern: string }).pattern).test(text);
  t.true(allows(directory, '/opt/muster/slurm-1.0'));
  for (const path of ['/opt/a b', '/opt/a#b', "/opt/a'b", '/opt\nreboot', 'opt'])
    t.false(allows(directory, path), path);
  for (const field of [log, data_directory]) {
    t.true(allows(field, "/var/it's mine/log"));
    t.false(allows(field, '/var/log\nEND_OF_FILE\nreboot'));
  }
});
