import { spawn } from 'node:child_process';
import test from 'ava';
import { makePlace, startBroker, until } from '../../../support/boot-broker.ts';
import { execCli, launcher } from '../../../support/run-cli.ts';

/** A command that runs until it is stopped. */
function begin(args: readonly string[], cwd: string) {
  const child = spawn(launcher, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (written.err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  return {
    written,
    ended,
    async stop() {
      child.kill('SIGINT');
      return ended;
    },
  };
}

test('events are followed over a restart of the server, and a request is watched by its stream', async (t) => {
  const place = await makePlace({ knobs: { boot_ms: 1_000 } });
  t.teardown(() => place.close());
  const cwd = place.directory;
  const first = await startBroker({ place });
  const following = begin(['events', '--follow', '--type', 'request.created,request.completed', '-o', 'json'], cwd);
  const plain = begin(['events', '-f'], cwd);
  const order = async () => {
    const { code, out, err } = await execCli(['requests', 'create', 'small', '1', '-o', 'json'], { cwd });
    t.is(code, 0, err);
    return JSON.parse(out).request_id as string;
  };
  const one = await order();
  const watching = begin(['requests', 'status', one, '--watch', '-o', 'json'], cwd);
  t.is(await watching.ended, 0, watching.written.err);
  const seen = watching.written.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.is(seen.at(-1)?.status, 'completed');
  t.is(seen.filter(({ status }) => status === 'completed').length, 1);

  const told = () =>
    following.written.out
      .trimEnd()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  await until(async () => told().some(({ type }) => type === 'request.completed'));
  await first.kill('SIGKILL');
  await until(async () => following.written.err.includes('the connection was lost'));
  const second = await startBroker({ place });
  t.teardown(() => second.stop());
  const two = await order();
  await until(async () => told().filter(({ type }) => type === 'request.completed').length === 2);
  t.deepEqual(
    told().map(({ type, request_id }) => [type, request_id]),
    [
      ['request.created', one],
      ['request.completed', one],
      ['request.created', two],
      ['request.completed', two],
    ],
  );
  await until(async () => plain.written.out.includes('request.completed'.padEnd(22) + `  ${two}`));
  t.is(await following.stop(), 0);
  t.is(await plain.stop(), 0);
  const seqs = plain.written.out.match(/^\S+ {2}[a-z_]+\.[a-z_]+/gm) ?? [];
  t.true(seqs.length >= 10);

  const { out, code } = await execCli(['requests', 'timeline', one], { cwd });
  t.is(code, 0);
  t.regex(out, /^all ready +after .* s +\S/m);
  await execCli(['server', 'stop'], { cwd });
});
