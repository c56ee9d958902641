import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { startSimulator } from '../../plugins/cloud-simulator/server/start-simulator.ts';
import { capacitySteps } from './other-clients/capacity-steps.ts';
import { catalogueSteps } from './other-clients/catalogue-steps.ts';
import { instanceSteps } from './other-clients/instance-steps.ts';
import { difference, type Step } from './other-clients/steps.ts';

// Clients that share no code with the project drive the simulated cloud. They are not part of the project: where one
// is not installed, its test says so and passes. On Debian: apt-get install awscli python3-boto3.

const run = promisify(execFile);

/** Machines and fleets are there before the next command, so that the waiters of the CLI, which wait 15 seconds, need not wait. */
const atOnce = {
  boot_ms: 20,
  shutdown_ms: 20,
  fleets: { start_ms: 0, launch_ms: 0, modify_ms: 0, history_ms: 0, notice_ms: 0 },
  groups: { react_ms: 0 },
};

/** The first of the commands that runs; undefined if none does. */
async function firstThatRuns(commands: readonly (readonly [string, ...string[]])[]): Promise<string | undefined> {
  for (const [command, ...args] of commands)
    if (
      await run(command, args).then(
        () => true,
        () => false,
      )
    )
      return command;
  return undefined;
}

/** Debian's Python first, which has its packages, and then any other. */
const pythons = (module: string) =>
  ['/usr/bin/python3', 'python3'].map((python) => [python, '-c', `import ${module}`] as const);

function skip(t: ExecutionContext, what: string): void {
  t.log(`skipped: ${what} is not installed here`);
  t.pass();
}

interface Outcome {
  readonly code: string | undefined;
  readonly answer: unknown;
  readonly text: string;
}

/** An AWS CLI that runs one command after another; it ends with the test. */
function openCli(t: ExecutionContext, python: string, env: NodeJS.ProcessEnv): (command: string) => Promise<Outcome> {
  const script = join(import.meta.dirname, 'other-clients/run-cli.py');
  const child = spawn(python, [script], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (command) => {
    child.stdin.write(`${JSON.stringify(command.split(' '))}\n`);
    const { value } = (await lines.next()) as { readonly value: string | undefined };
    if (value === undefined) throw new Error(`The AWS CLI ended in: ${command}`);
    const { exit, out, err } = JSON.parse(value) as { exit: number; out: string; err: string };
    if (exit !== 0)
      return { code: /An error occurred \(([\w.]+)\)/.exec(err)?.[1] ?? 'none', answer: undefined, text: err.trim() };
    return { code: undefined, answer: out.trim() === '' ? undefined : JSON.parse(out), text: out };
  };
}

/** What is wrong with the outcome of a step; undefined if nothing is. */
function objection(step: Step, { code, answer, text }: Outcome): string | undefined {
  if (code !== step.code) return `${code ?? 'no error'} instead of ${step.code ?? 'none'}: ${text.slice(0, 300)}`;
  return step.answer === undefined ? undefined : difference(answer, step.answer);
}

test('the AWS CLI gets the answers that AWS documents', async (t) => {
  const python = await firstThatRuns(pythons('awscli.clidriver'));
  if (python === undefined) return skip(t, 'the AWS CLI');
  const home = mkdtempSync(join(tmpdir(), 'muster-cli-'));
  const simulator = await startSimulator({ seed: 1, knobs: atOnce });
  t.teardown(async () => {
    await simulator.close();
    rmSync(home, { recursive: true, force: true });
  });
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    AWS_ACCESS_KEY_ID: 'AKIACLI',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_MAX_ATTEMPTS: '1',
    AWS_PAGER: '',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const call = openCli(t, python, env);
  const steps = [...catalogueSteps, ...instanceSteps, ...capacitySteps];
  const wrong: string[] = [];
  for (const step of steps) {
    const command = step.command();
    const outcome = await call(`${command} --endpoint-url ${simulator.url} --output json`);
    let found = objection(step, outcome);
    try {
      if (found === undefined) step.keep?.(outcome.answer);
    } catch (error) {
      found = String(error);
    }
    if (found !== undefined) wrong.push(`${command}\n    ${found}`);
  }
  t.log(`${steps.length - wrong.length} of ${steps.length} commands are answered as by AWS`);
  t.deepEqual(wrong, []);
});

test('boto3 gets the answers that AWS documents, by resources, paginators and waiters too', async (t) => {
  const python = await firstThatRuns(pythons('boto3'));
  if (python === undefined) return skip(t, 'boto3');
  const simulator = await startSimulator({ seed: 1, knobs: { boot_ms: 1200, shutdown_ms: 1200 } });
  t.teardown(() => simulator.close());
  const script = join(import.meta.dirname, 'other-clients/boto3-checks.py');
  const { stdout } = await run(python, [script, simulator.url], { timeout: 200_000 });
  const checks = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; passed: boolean; why: string | null });
  const wrong = checks.filter((one) => !one.passed);
  t.log(`${checks.length - wrong.length} of ${checks.length} checks pass`);
  t.deepEqual(wrong, []);
  t.true(checks.length >= 60, `${checks.length} checks`);
});
