import { execFile, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import test from 'ava';
import { makePlace, until } from '../../support/boot-broker.ts';
import { execCli, launcher } from '../../support/run-cli.ts';

const sh = (
  line: string,
  cwd: string,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> =>
  new Promise((resolve) => {
    execFile(
      '/bin/bash',
      ['-c', line],
      { cwd, env: { ...process.env, MUSTER: launcher, TERM: 'xterm', NO_COLOR: '' } },
      (error, out, err) => resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

test('a reader that leaves early is no failure, whichever stream it read', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const list = await sh('"$MUSTER" completion bash | head -1; echo "${PIPESTATUS[0]}"', place.directory);
  t.is(list.out, '# muster completion for bash\n0\n');
  // The progress of what is waited for is read to its first line; the waiting goes on to its end.
  const progress = await sh(
    '"$MUSTER" requests create small 1 --no-server 2>&1 >/dev/null | head -1; echo "${PIPESTATUS[0]}"',
    place.directory,
  );
  t.regex(progress.out, /^req-.* pending: .*\n0\n$/, 'no colors, nothing written anew');
  t.is(Object.values(place.simulator.ledger().live).flat().length, 1);
});

test('results that cannot be written are a failure in a sentence, without a stack', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const { code, err } = await sh('exec "$MUSTER" config show > /dev/full', place.directory);
  t.is(code, 1);
  t.regex(err, /^muster: standard output cannot be written: ENOSPC.*\n$/);
  t.is(
    (await sh('exec "$MUSTER" templates lst 2> /dev/full', place.directory)).code,
    2,
    'what is said beside it may be lost',
  );
  t.is((await sh('exec "$MUSTER" config show >&-', place.directory)).code, 0);
});

test('on a terminal there are colors, and one line of progress that fits it', async (t) => {
  const place = await makePlace({ knobs: { boot_ms: 700 } });
  t.teardown(() => place.close());
  const line = '"$MUSTER" requests create small 1 --no-server';
  const { out } = await sh(`script -qec 'stty cols 80; ${line}' /dev/null < /dev/null`, place.directory);
  const drawn = out
    .split('\r\u001b[K')
    .slice(1)
    .map((each) => each.split('\r\n')[0] ?? '');
  t.true(drawn.length > 2, out);
  for (const each of drawn) t.true(each.length < 80, `${each.length}: ${each}`);
  t.regex(drawn.at(-1) ?? '', /^req-\S+… completed: .*\d s$/);
  t.true(out.includes('\u001b[32mcompleted\u001b[39m'));
});

test('an answer of megabytes arrives whole in a pipe that is read slowly', async (t) => {
  const templates = Array.from({ length: 400 }, (_, index) => ({
    template_id: `t${index}`,
    provider_api: 'RunInstances',
    image_id: 'ami-1',
    machine_type: 't3.small',
    description: 'x'.repeat(5_000),
  }));
  const place = await makePlace({ templates });
  t.teardown(() => place.close());
  const { out } = await sh(
    '"$MUSTER" templates list --limit 1000 -o json | (sleep 0.3; wc -c; cat > /dev/null)',
    place.directory,
  );
  t.true(Number(out) > 2_000_000, out);
});

test('without a home, a path or any other variable the command line works', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const { code, out } = await new Promise<{ code: number; out: string }>((resolve) => {
    execFile(launcher, ['templates', 'list'], { cwd: place.directory, env: {} }, (error, stdout) =>
      resolve({ code: error ? Number(error.code) : 0, out: stdout }),
    );
  });
  t.is(code, 0);
  t.regex(out, /^TEMPLATE ID/);
});

test('an interrupted command that executes its request itself says which process continues it', async (t) => {
  const place = await makePlace({ knobs: { boot_ms: 60_000 } });
  t.teardown(() => place.close());
  const child = spawn(launcher, ['requests', 'create', 'small', '1', '--no-server'], {
    cwd: place.directory,
    stdio: ['ignore', openSync('/dev/null', 'w'), 'pipe'],
  });
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  await until(async () => /in_progress/.test(err));
  child.kill('SIGTERM');
  t.is(await ended, 130);
  t.regex(err, /stopped processing; the next server on .*data continues req-\S+\n$/);
  const { out } = await execCli(['requests', 'list', '-o', 'json'], { cwd: place.directory });
  t.like(JSON.parse(out).requests, [{ status: 'in_progress' }]);
});
