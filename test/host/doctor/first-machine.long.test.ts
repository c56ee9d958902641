import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startSimulator } from '../../../plugins/cloud-simulator/server/start-simulator.ts';

const muster = resolve('host/bin/muster');

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function emptyFolder(t: ExecutionContext, knobs: object) {
  const directory = await mkdtemp(join(tmpdir(), 'muster-test-first-'));
  const simulator = await startSimulator({ knobs: { boot_ms: 200, ...knobs } });
  const run = (...args: string[]): Promise<Ended> =>
    new Promise((ended) => {
      const env = {
        PATH: process.env['PATH'],
        HOME: directory,
        AWS_ACCESS_KEY_ID: 'AKIAFIRST',
        AWS_SECRET_ACCESS_KEY: 's',
      };
      execFile(muster, args, { cwd: directory, env, timeout: 120_000 }, (error, out, err) =>
        ended({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  t.teardown(async () => {
    await run('server', 'stop');
    await simulator.close();
    await rm(directory, { recursive: true, force: true });
  });
  return { directory, simulator, run };
}

test('from an empty folder to the first machine: init, doctor, mend, first machine', async (t) => {
  const lab = {
    vpc_id: 'vpc-0a1b2c3d4e5f60718',
    name: 'lab',
    cidr: '10.9.0.0/16',
    subnets: [
      { subnet_id: 'subnet-0aaaaaaaaaaaaaaaa', zone: 'us-east-1a', cidr: '10.9.0.0/24' },
      { subnet_id: 'subnet-0bbbbbbbbbbbbbbbb', zone: 'us-east-1b', cidr: '10.9.1.0/24' },
    ],
    security_groups: [{ group_id: 'sg-0ccccccccccccccccc', group_name: 'default' }],
  };
  const denied = ['RunInstances', 'CreateFleet', 'TerminateInstances'].map((action) => ({ action }));
  const full = { addresses: [{ subnet_id: 'subnet-0aaaaaaaaaaaaaaaa', count: 0 }] };
  const { directory, simulator, run } = await emptyFolder(t, { vpcs: [lab], auth: { denied }, ...full });

  const began = await run('init', '--endpoint-url', simulator.url, '--network', 'lab', '--yes');
  t.is(began.code, 0, began.err);
  t.regex(began.err, /leave out subnet-0aaaaaaaaaaaaaaaa: it has no free address/);
  t.regex(began.out, /Next: muster doctor\nThen: muster requests create one-machine 1 --wait\n$/);
  t.is((await run('config', 'validate')).code, 0);

  // A person adds the full subnet to the templates, and sets a port that any server may take.
  const templates = join(directory, 'templates.yaml');
  const text = await readFile(templates, 'utf8');
  await writeFile(templates, text.replaceAll('- subnet-0bbbbbbbbbbbbbbbb', '- subnet-0aaaaaaaaaaaaaaaa'));
  await writeFile(
    join(directory, 'muster.config.yaml'),
    `${await readFile(join(directory, 'muster.config.yaml'), 'utf8')}server: { port: 0 }\n`,
  );
  const ill = await run('doctor', '--output', 'json');
  t.is(ill.code, 1, ill.err);
  const report = JSON.parse(ill.out);
  const errors: string[] = report.checks
    .filter(({ level }: { level: string }) => level === 'error')
    .map(({ check, message }: { check: string; message: string }) => `${check}: ${message}`);
  const warnings = report.checks.filter(({ level }: { level: string }) => level === 'warning');
  t.true(
    warnings.some(({ message }: { message: string }) => message.startsWith('TerminateInstances cannot be tried')),
    JSON.stringify(warnings),
  );
  for (const action of ['RunInstances', 'CreateFleet'])
    t.true(
      errors.some((line) => line.startsWith(`permissions: ${action} is denied: template`)),
      errors.join('\n'),
    );
  t.true(errors.includes("subnets: Template 'one-machine': none of its subnets has a free address."));
  t.deepEqual(simulator.ledger().live, {});

  // Mend: the permissions are granted, and the templates name the subnet with room.
  simulator.setKnobs({ auth: { denied: [] } });
  await writeFile(templates, text);
  const well = await run('doctor');
  t.is(well.code, 0, well.out);
  t.regex(well.out, /Nothing stands in the way of a request\.\n$/);

  const request = await run('requests', 'create', 'one-machine', '1', '--wait', '--output', 'json');
  t.is(request.code, 0, request.err + request.out);
  t.is(Object.keys(simulator.ledger().live).length, 1);

  // Beside the running server, and its port: the doctor finds nothing, and changes nothing.
  const beside = await run('doctor');
  t.is(beside.code, 0, beside.out);
  t.is(Object.keys(simulator.ledger().live).length, 1);
});

test('a cloud that never answers ends the doctor within half a minute', async (t) => {
  const { directory, simulator, run } = await emptyFolder(t, {});
  t.is((await run('init', '--endpoint-url', simulator.url, '--yes')).code, 0);
  simulator.setKnobs({ faults: [{ action: '*', times: null, effect: 'skip', then: 'hang' }] });
  const began = performance.now();
  const { code, out } = await run('doctor');
  t.is(code, 1);
  t.regex(out, /error {3}us-east-1 connection: 'us-east-1' did not answer within 20 s\./);
  t.true(performance.now() - began < 40_000);
  const there = (await readdir(directory)).filter((name) => !name.startsWith('.'));
  t.deepEqual(there.toSorted(), ['muster.config.yaml', 'templates.yaml']);
});
