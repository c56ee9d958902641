import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';

const program = join(import.meta.dirname, '../../../plugins/slurm/program/slurm-program.ts');

interface Call {
  readonly url: string;
  readonly body: unknown;
}

/** A server on a socket in a data directory. `status`: what it answers; to calls with `failing` in them 500. */
async function stage(t: ExecutionContext, answer: { status: number } = { status: 200 }) {
  const directory = mkdtempSync(join(tmpdir(), 'slurm-program-'));
  const socket_path = join(directory, 'muster.sock');
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const status = text.includes('failing') ? 500 : answer.status;
      if (status === 200) calls.push({ url: request.url ?? '', body: JSON.parse(text) });
      response.writeHead(status).end('{}');
    });
  });
  const listen = () => new Promise<void>((resolve) => void server.listen(socket_path, resolve));
  const close = () => new Promise((resolve) => void server.close(resolve));
  writeFileSync(join(directory, 'server.json'), JSON.stringify({ socket_path, host: '127.0.0.1', port: 1 }));
  t.teardown(async () => {
    await close();
    rmSync(directory, { recursive: true, force: true });
  });
  const run = (verb: string, nodes: string, env: Record<string, string> = {}) =>
    new Promise<{ code: number | null; out: string }>((resolve) => {
      const args = ['--disable-warning=ExperimentalWarning', program, verb, directory, nodes];
      // As slurmctld calls it: without PATH and HOME.
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      // At its exit, what it printed may not have arrived yet.
      child.once('close', (code) => resolve({ code, out }));
    });
  const spooled = () => {
    try {
      return readdirSync(join(directory, 'slurm-spool'));
    } catch {
      return [];
    }
  };
  return { directory, calls, listen, close, run, spooled, answer };
}

test('a resume hands over its nodes and the jobs of the resume file, of old and new versions', async (t) => {
  const { directory, calls, listen, run } = await stage(t);
  await listen();
  const file = join(directory, 'resume.json');
  const jobs = [
    { job_id: 1, nodes: 'a-[1-2]' },
    { job_id: 2, nodes_alloc: 'a-[1-4]', nodes_resume: 'a-[3-4]' },
  ];
  writeFileSync(file, JSON.stringify({ jobs, all_nodes: 'a-[1-4]' }));
  t.is((await run('resume', 'a-[1-4]', { SLURM_RESUME_FILE: file })).code, 0);
  t.is((await run('suspend', 'a-1')).code, 0);
  t.deepEqual(calls, [
    {
      url: '/api/v1/slurm/resume',
      body: {
        nodes: 'a-[1-4]',
        jobs: [
          { job_id: 1, nodes: 'a-[1-2]' },
          { job_id: 2, nodes: 'a-[3-4]' },
        ],
      },
    },
    { url: '/api/v1/slurm/suspend', body: { nodes: 'a-1' } },
  ]);
});

test('a resume file that cannot be read costs the jobs, not the nodes', async (t) => {
  const { calls, listen, run } = await stage(t);
  await listen();
  const { code, out } = await run('resume', 'a-1', { SLURM_RESUME_FILE: '/proc/1/fd/999' });
  t.is(code, 0);
  t.regex(out, /ordered without their jobs/);
  t.deepEqual(calls, [{ url: '/api/v1/slurm/resume', body: { nodes: 'a-1' } }]);
});

test('what a refusal says is logged, and is not repeated', async (t) => {
  const { listen, run, spooled } = await stage(t, { status: 400 });
  await listen();
  const { code, out } = await run('resume', 'a[');
  t.is(code, 1);
  t.regex(out, /400/);
  t.deepEqual(spooled(), []);
});

test('without a server a call is kept after 8 s, and the next one that reaches it hands over all in order', async (t) => {
  t.timeout(300_000);
  const { calls, listen, run, spooled } = await stage(t);
  const kept = await Promise.all([run('resume', 'a-1'), run('suspend', 'a-2')]);
  t.deepEqual(
    kept.map(({ code }) => code),
    [1, 1],
  );
  t.is(spooled().length, 2);
  await listen();
  t.is((await run('resume', 'a-3')).code, 0);
  t.is(calls.length, 3);
  t.deepEqual(calls.at(-1)?.body, { nodes: 'a-3' });
  t.deepEqual(spooled(), []);
});

for (const status of [503, 409])
  test(`a server that answers ${status} for a moment gets the call`, async (t) => {
    const { calls, listen, run, answer } = await stage(t, { status });
    await listen();
    setTimeout(() => (answer.status = 200), 1_500);
    t.is((await run('resume', 'a-1')).code, 0);
    t.is(calls.length, 1);
  });

test('what was kept and cannot be read costs nothing of the present call', async (t) => {
  const { directory, calls, listen, run } = await stage(t);
  await listen();
  // A file in place of the directory fails for root, too, whom no permission stops.
  writeFileSync(join(directory, 'slurm-spool'), '');
  const { code, out } = await run('resume', 'a-1');
  t.is(code, 0);
  t.regex(out, /cannot be read/);
  t.is(calls.length, 1);
});

test('what is kept after the clock was set back comes after what was kept before; a call over which the server fails is given up', async (t) => {
  t.timeout(300_000);
  const { directory, calls, listen, run, spooled } = await stage(t);
  mkdirSync(join(directory, 'slurm-spool'));
  const inAnHour = Date.now() + 3_600_000;
  for (const [index, nodes] of ['failing-1', 'a-1'].entries())
    writeFileSync(
      join(directory, 'slurm-spool', `${String(inAnHour + index).padStart(15, '0')}-1-1.json`),
      JSON.stringify({ verb: 'resume', body: { nodes } }),
    );
  t.is((await run('suspend', 'a-1')).code, 1);
  await listen();
  t.is((await run('resume', 'a-2')).code, 0);
  t.deepEqual(
    calls.map(({ url, body }) => `${url.split('/').at(-1)} ${(body as { nodes: string }).nodes}`),
    ['resume a-1', 'suspend a-1', 'resume a-2'],
  );
  t.deepEqual(spooled(), []);
});
