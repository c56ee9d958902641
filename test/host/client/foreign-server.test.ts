import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import {
  lockDataDirectory,
  makeDataDirectory,
  lockStart,
  warnOfOtherWriters,
} from '../../../host/data-directory/data-directory.ts';
import { openServerLog } from '../../../host/client/server-log.ts';
import { readServerPlace, writeServerPlace, type ServerPlace } from '../../../host/data-directory/server-place.ts';
import { writeStartingServer } from '../../../host/data-directory/starting-server.ts';
import { startingServer } from '../../../host/client/server-process.ts';
import { readLastStart, writeLastStart, type StartRecord } from '../../../host/data-directory/start-record.ts';
import { silentLog } from '../../../core/contract/log.ts';
import { asNobody } from '../../support/as-nobody.ts';
import { emptyPlace, endServer } from '../../support/background.ts';
import { execCli, launcher } from '../../support/run-cli.ts';
import { foreignUser, withForeignCaller, withForeignFiles } from '../../support/with-foreign-files.ts';

/** A process that somebody wants to live. */
function bystander(t: ExecutionContext, user?: number): ChildProcess {
  const child = spawn('sleep', ['120'], { stdio: 'ignore', ...(user === undefined ? {} : { uid: user, gid: user }) });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

const lives = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

const placeOf = (pid: number | undefined): ServerPlace => ({
  pid: pid ?? 0,
  host: '127.0.0.1',
  port: 1,
  socket_path: null,
  started_at: new Date(Date.now() + 1_000).toISOString(),
  version: '0.1.0',
});

test('a stop ends no process that server.json names but that does not hold the data directory', async (t) => {
  const directory = await emptyPlace(t);
  const data = join(directory, 'data');
  makeDataDirectory(data);
  const child = bystander(t);
  writeServerPlace(data, placeOf(child.pid));
  for (const args of [['stop'], ['stop', '--force'], ['restart']]) {
    const { code, err } = await execCli(['server', ...args], { cwd: directory });
    t.is(code, 4, err);
    t.regex(
      err,
      new RegExp(
        `names the process ${child.pid} as its server, but that process does not hold the directory: it is not stopped`,
      ),
    );
  }
  t.true(lives(child));
  writeFileSync(join(data, 'server.lock'), '');
  t.is(
    (await execCli(['server', 'stop'], { cwd: directory })).code,
    4,
    'the lock is there, and another one or nobody has it',
  );
  t.true(lives(child));
});

test('a stop ends no process that is named as a starting server but does not hold the data directory', async (t) => {
  const directory = await emptyPlace(t);
  const data = join(directory, 'data');
  makeDataDirectory(data);
  const child = bystander(t);
  writeStartingServer(data, { ...placeOf(child.pid), waits_for: 'Its database is away.' });
  const { code, err } = await execCli(['server', 'stop', '--force'], { cwd: directory });
  t.is(code, 0, err);
  t.regex(err, /No server runs on the data directory/);
  t.true(lives(child));
  t.is((await execCli(['server', 'status'], { cwd: directory })).code, 5);
  t.is(startingServer(data), undefined);
});

test('a link to the files of another server is not trusted, and a server does not write through a link', async (t) => {
  const directory = await emptyPlace(t);
  const [data, elsewhere] = [join(directory, 'data'), join(directory, 'elsewhere')];
  makeDataDirectory(data);
  makeDataDirectory(elsewhere);
  t.is(
    (await execCli(['server', 'start', '--port', '0'], { cwd: directory, env: { MUSTER_DATA_DIR: elsewhere } })).code,
    0,
  );
  t.teardown(() => endServer(elsewhere));
  symlinkSync(join(elsewhere, 'server.json'), join(data, 'server.json'));
  const { err } = await execCli(['server', 'stop'], { cwd: directory });
  t.regex(err, /No server runs on the data directory/);
  t.truthy(readServerPlace(elsewhere), 'it runs');
  const precious = join(directory, 'precious');
  writeFileSync(precious, 'precious');
  for (const name of ['server.options.json.new', 'server.options.json', 'server.log'])
    symlinkSync(precious, join(data, name));
  writeServerPlace(data, placeOf(1));
  writeLastStart(data, { cwd: '/', options: [] } as unknown as StartRecord);
  t.throws(() => openServerLog(data), { message: /cannot write its log .*server\.log \(ELOOP\)/ });
  t.is(readFileSync(precious, 'utf8'), 'precious');
  t.is((await execCli(['server', 'stop'], { cwd: elsewhere, env: { MUSTER_DATA_DIR: elsewhere } })).code, 0);
});

test('no lock is created at the target of a link', async (t) => {
  const directory = await emptyPlace(t);
  const linked = join(directory, 'linked');
  makeDataDirectory(linked);
  for (const name of ['server.lock', 'start.lock']) symlinkSync(join(directory, 'made'), join(linked, name));
  t.throws(() => lockDataDirectory(linked), { message: /cannot be used: ELOOP/ });
  t.throws(() => lockStart(linked), { message: /cannot be used: ELOOP/ });
  t.false(existsSync(join(directory, 'made')));
});

test('files that others may write determine neither the address of the server nor its start', async (t) => {
  const directory = await emptyPlace(t);
  const data = join(directory, 'data');
  makeDataDirectory(data);
  writeServerPlace(data, placeOf(1));
  writeLastStart(data, { cwd: '/', options: [] } as unknown as StartRecord);
  t.truthy(readLastStart(data));
  for (const name of ['server.json', 'server.options.json']) chmodSync(join(data, name), 0o666);
  t.throws(() => readServerPlace(data), {
    message: /server\.json is not used: other users can write to it \(mode 666\)/,
  });
  t.is(readLastStart(data), undefined);
  chmodSync(join(data, 'server.json'), 0o600);
});

test('a pid below one is not trusted: it means several processes', async (t) => {
  const directory = await emptyPlace(t);
  const data = join(directory, 'data');
  makeDataDirectory(data);
  using _ = lockDataDirectory(data);
  const group = spawn('sleep', ['120'], { stdio: 'ignore', detached: true });
  t.teardown(() => group.kill('SIGKILL'));
  for (const pid of [-Number(group.pid), 0, 0.5, 2 ** 32 + Number(group.pid), 2 ** 31]) {
    writeServerPlace(data, placeOf(pid));
    t.is(readServerPlace(data), undefined, String(pid));
  }
  writeServerPlace(data, placeOf(-Number(group.pid)));
  const { code, err } = await execCli(['server', 'stop', '--force'], { cwd: directory });
  t.is(code, 4);
  t.regex(err, /A process that is not a server holds the data directory/);
  t.true(lives(group));
});

withForeignFiles(
  'root ends no process of another user, and none of its own, because of a file of a third user',
  async (t) => {
    const directory = await emptyPlace(t);
    const data = join(directory, 'data');
    makeDataDirectory(data);
    for (const user of [undefined, 1]) {
      const child = bystander(t, user);
      writeServerPlace(data, placeOf(child.pid));
      for (const each of [data, join(data, 'server.json')]) chownSync(each, foreignUser, foreignUser);
      const { code, err } = await execCli(['server', 'stop', '--force'], { cwd: directory });
      t.is(code, 4, err);
      t.regex(
        err,
        new RegExp(
          `the process belongs to the user with id ${user ?? 0}, and the user with id ${foreignUser} wrote server\\.json`,
        ),
      );
      t.true(lives(child));
    }
  },
);

withForeignCaller(
  'files of another user are not trusted: no call goes to that server, and no program of that user is executed',
  async (t) => {
    const directory = await emptyPlace(t);
    for (const each of [dirname(directory), directory]) chmodSync(each, 0o755);
    const data = join(directory, 'data');
    mkdirSync(data, { mode: 0o755 });
    const trace = join(directory, 'ran');
    const program = join(directory, 'evil.mjs');
    writeFileSync(program, `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(trace)}, '');\n`);
    const start = {
      config: null,
      samples: true,
      simulated: [],
      options: [],
      cwd: directory,
      secret_env: [],
      run: 'background',
    } as const;
    const record: StartRecord = { ...start, env: { NODE_OPTIONS: `--import=${program}` } };
    writeServerPlace(data, { ...placeOf(1), start: record });
    writeLastStart(data, record);
    for (const name of ['', 'server.json', 'server.options.json']) {
      chownSync(join(data, name), 1, 1);
      if (name) chmodSync(join(data, name), 0o644);
    }
    const env = { PATH: '/usr/bin:/bin' };
    for (const args of [
      ['requests', 'list'],
      ['server', 'status'],
      ['server', 'stop'],
    ]) {
      const { code, err } = await asNobody(launcher, args, { cwd: directory, env });
      t.is(code, 4, err);
      t.regex(
        err,
        /server\.json is not used: it belongs to the user with id 1\. Call its server with --url, remove the file, or set/,
      );
    }
    const restart = await execCli(['server', 'restart', '--port', '0'], { cwd: directory });
    t.is(restart.code, 4, restart.out);
    t.regex(restart.err, /decides what a restart runs, and .*data belongs to the user daemon/);
    t.false(existsSync(trace));
  },
);

withForeignFiles('the start warns of a data directory of another user', async (t) => {
  const directory = await emptyPlace(t);
  const warned: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void warned.push(message) };
  warnOfOtherWriters(directory, log);
  t.deepEqual(warned, []);
  chownSync(directory, foreignUser, foreignUser);
  warnOfOtherWriters(directory, log);
  t.regex(
    warned.join(),
    /belongs to the user with id 65534, who can replace the store\. Change its owner to the user that runs the broker \(id 0\)/,
  );
});
