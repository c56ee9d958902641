import { once } from 'node:events';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { silentLog } from '../../core/contract/log.ts';
import { freeSocketPath } from '../../host/http/listen-socket.ts';
import { makePlace, startBroker } from '../support/boot-broker.ts';
import { execCli } from '../support/run-cli.ts';
import { oneOfMany } from '../support/temporary-directory.ts';

test('a server with a configured socket path removes only a socket there', async (t) => {
  const place = await makePlace({ configuration: { server: { port: 0 } } });
  t.teardown(() => place.close());
  const { directory } = place;
  const precious = join(directory, 'precious.txt');
  writeFileSync(precious, 'precious');
  for (const workers of ['1', '2']) {
    const args = [
      'server',
      'start',
      '--foreground',
      '--port',
      '0',
      '--workers',
      workers,
      '--socket-path',
      'precious.txt',
    ];
    const { code, err } = await execCli(args, { cwd: directory });
    t.is(code, 4, err);
    t.true(
      err.includes(`${precious} is not a socket and is not removed. Choose a free path with --socket-path.`),
      err,
    );
    t.is(readFileSync(precious, 'utf8'), 'precious');
  }
});

test('neither a link nor a directory makes room for a socket', async (t) => {
  const directory = oneOfMany('muster-path-');
  writeFileSync(join(directory, 'precious'), '');
  symlinkSync('precious', join(directory, 'link'));
  symlinkSync('nowhere', join(directory, 'dangling'));
  mkdirSync(join(directory, 'folder'));
  for (const name of ['precious', 'link', 'dangling', 'folder']) {
    await t.throwsAsync(
      freeSocketPath(join(directory, name), silentLog),
      { code: 'INVALID_CONFIGURATION', message: /is not a socket/ },
      name,
    );
    t.truthy(lstatSync(join(directory, name)));
  }
});

test('what a killed server left behind makes room, one that is answered does not', async (t) => {
  const place = await makePlace();
  t.teardown(() => place.close());
  const path = join(place.directory, 'own.sock');
  const first = await startBroker({ place, args: ['--socket-path', path] });
  await t.throwsAsync(freeSocketPath(path, silentLog), { code: 'CONFLICT' });
  await first.kill('SIGKILL');
  t.true(lstatSync(path).isSocket());
  t.is(await freeSocketPath(path, silentLog), path);
  t.is(lstatSync(path, { throwIfNoEntry: false }), undefined);
  const server = createServer().listen(path);
  await once(server, 'listening');
  t.teardown(() => void server.close());
  await t.throwsAsync(freeSocketPath(path, silentLog), { code: 'CONFLICT' });
});
