import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { doctor } from '../../../host/doctor/doctor.ts';
import { reviewConf } from '../../../plugins/slurm/check/review-conf.ts';
import { parseNodes } from '../../../plugins/slurm/controller/parse-nodes.ts';
import type { SlurmSettings } from '../../../plugins/slurm/settings.ts';
import { makePlace } from '../../support/boot-broker.ts';

const settings: SlurmSettings = {
  cluster: 'c',
  node_sets: [{ nodes: 'cpu-[1-3]', template: 'small' }],
  request_timeout: 600,
  sync_s: 15,
  rest_s: 180,
};

/** As Slurm 22.05.8 prints it. */
const fitting: Readonly<Record<string, string>> = {
  PrivateData: 'cloud',
  ResumeFailProgram: '/opt/m/resume-fail',
  ResumeProgram: '/opt/m/resume',
  ResumeRate: '0 nodes/min',
  ResumeTimeout: '900 sec',
  ReturnToService: '2',
  SlurmctldParameters: 'idle_on_node_suspend,cloud_reg_addrs',
  SuspendProgram: '/opt/m/suspend',
  SuspendRate: '0 nodes/min',
  SuspendTime: '300 sec',
  SuspendTimeout: '120 sec',
};
const nodeLines = (names: readonly string[], state = 'IDLE+CLOUD+POWERED_DOWN') =>
  names.map((name) => `NodeName=${name} CPUTot=2 State=${state} ThreadsPerCore=1\n`).join('');
const all = ['cpu-1', 'cpu-2', 'cpu-3'];

const table: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['nothing is said about a slurm.conf that fits, but that it does', {}, 'ok slurmctld has the programs'],
  ['a ResumeTimeout below the time-out of requests', { ResumeTimeout: '600 sec' }, 'warning ResumeTimeout is 600 s'],
  ['a SuspendTimeout below two comparisons', { SuspendTimeout: '29 sec' }, 'warning SuspendTimeout is 29 s'],
  ['machines that are never returned', { SuspendTime: 'NONE' }, 'warning SuspendTime is not set'],
  ['a program that is missing', { ResumeFailProgram: '(null)' }, 'error slurm.conf has no ResumeFailProgram'],
  ['nodes of a job in several calls', { ResumeRate: '300 nodes/min' }, 'warning ResumeRate is 300 nodes/min'],
  ['late machines that are not used', { ReturnToService: '1' }, 'warning ReturnToService is not 2'],
  [
    'nodes that stay DOWN',
    { SlurmctldParameters: '(null)' },
    'warning SlurmctldParameters lacks idle_on_node_suspend',
  ],
  ['nodes that are hidden', { PrivateData: 'none' }, 'warning PrivateData lacks cloud'],
];
for (const [title, change, expected] of table)
  test(`the doctor finds ${title}`, (t) => {
    const config = new Map(Object.entries({ ...fitting, ...change }));
    const found = reviewConf({ config, nodes: parseNodes(nodeLines(all)) }, settings);
    t.is(found.length, 1);
    t.true(`${found[0]?.level} ${found[0]?.message}`.startsWith(expected), found[0]?.message ?? '');
    t.is(found[0]?.remedy === undefined, Object.keys(change).length === 0);
  });

test('the doctor finds nodes that slurmctld does not know, or never starts', (t) => {
  const nodes = [...parseNodes(nodeLines(['cpu-1'])), ...parseNodes(nodeLines(['cpu-2'], 'IDLE'))];
  t.deepEqual(
    reviewConf({ config: new Map(Object.entries(fitting)), nodes }, settings).map(({ message }) => message),
    ['slurmctld does not know cpu-3.', 'cpu-2 have no State=CLOUD: Slurm never starts them.'],
  );
});

/** What the doctor says about slurm.conf with a scontrol of this text. */
async function diagnosed(t: ExecutionContext, scontrol: string) {
  const bin = mkdtempSync(join(tmpdir(), 'slurm-conf-check-'));
  t.teardown(() => rmSync(bin, { recursive: true, force: true }));
  writeFileSync(join(bin, 'scontrol'), `#!/bin/sh\n${scontrol}\n`);
  chmodSync(join(bin, 'scontrol'), 0o755);
  const place = await makePlace({
    configuration: {
      plugins: ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'default-format', 'storage-sqlite', 'slurm'],
      slurm: { node_sets: [{ nodes: 'cpu-[1-3]', template: 'small' }], bin },
      server: { port: 0 },
    },
  });
  t.teardown(() => place.close());
  const { checks } = await doctor({ cwd: place.directory, env: {} });
  return checks
    .filter(({ check }) => check === 'slurm.conf')
    .map(({ level, message, remedy }) => `${level} ${message} ${remedy ?? ''}`);
}

test('muster doctor asks slurmctld, and says what to set', async (t) => {
  const lines = Object.entries({ ...fitting, ResumeTimeout: '60 sec' }).map(([key, value]) => `${key} = ${value}`);
  const found = await diagnosed(
    t,
    `[ "$2" = config ] && { cat <<'E'\n${lines.join('\n')}\nE\nexit 0; }\ncat <<'E'\n${nodeLines(all)}E`,
  );
  t.is(found.length, 1);
  t.regex(found[0] ?? '', /^warning ResumeTimeout is 60 s, .* Set ResumeTimeout above request_timeout/);
});

test('a slurmctld that does not answer is a line of the doctor, and what scontrol said stands in it', async (t) => {
  const found = await diagnosed(t, 'echo slurm_load_ctl_conf error: Unable to contact slurm controller >&2; exit 1');
  t.is(found.length, 1);
  t.regex(
    found[0] ?? '',
    /^warning The check could not be made: scontrol show .* Unable to contact .* Start slurmctld/,
  );
});
