import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { configurationCheck } from '../../../host/doctor/host-checks/configuration.ts';
import { dataDirectoryCheck } from '../../../host/doctor/host-checks/data-directory.ts';
import { nodeCheck } from '../../../host/doctor/host-checks/node-version.ts';
import { portCheck } from '../../../host/doctor/host-checks/port.ts';
import { storageCheck } from '../../../host/doctor/host-checks/storage.ts';
import { templatesCheck } from '../../../host/doctor/host-checks/templates.ts';
import { lockDataDirectory } from '../../../host/data-directory/data-directory.ts';
import sqlite from '../../../plugins/storage-sqlite/index.ts';
import postgres from '../../../plugins/storage-postgres/index.ts';

async function folder(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'muster-test-doctor-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
const plenty = () => ({ type: 0xef53, free_bytes: 50e9 });

for (const [version, level] of [
  ['v24.12.0', 'ok'],
  ['v24.21.0', 'ok'],
  ['v26.1.0', 'ok'],
  ['v24.11.9', 'error'],
  ['v25.3.0', 'error'],
  ['v20.18.1', 'error'],
] as const)
  test(`node: ${version} is ${level}`, async (t) => {
    t.is((await nodeCheck.run({ version }))[0]?.level, level);
  });

for (const [what, system, level, message] of [
  ['50 MB', { type: 0xef53, free_bytes: 50e6 }, 'error', /has 50 MB of free space/],
  ['500 MB', { type: 0xef53, free_bytes: 500e6 }, 'warning', /has 500 MB of free space/],
  ['NFS', { type: 0x6969, free_bytes: 50e9 }, 'warning', /is on NFS, whose locks/],
  ['a local disk with room', { type: 0xef53, free_bytes: 50e9 }, 'ok', /can be written, 50000 MB are free/],
] as const)
  test(`data directory: ${what} is ${level}`, async (t) => {
    const data_directory = await folder(t);
    const [result] = await dataDirectoryCheck.run({ data_directory, fileSystemOf: () => system });
    t.is(result?.level, level);
    t.regex(result?.message ?? '', message);
  });

test('data directory: a file in its place, and a directory that others can write, are found', async (t) => {
  const directory = await folder(t);
  await writeFile(join(directory, 'file'), '');
  const [file] = await dataDirectoryCheck.run({ data_directory: join(directory, 'file'), fileSystemOf: plenty });
  t.is(file?.level, 'error');
  t.regex(file?.message ?? '', /is no directory/);
  const [below] = await dataDirectoryCheck.run({ data_directory: join(directory, 'file', 'x'), fileSystemOf: plenty });
  t.is(below?.level, 'error');
  await mkdir(join(directory, 'open'));
  await chmod(join(directory, 'open'), 0o777);
  const [open] = await dataDirectoryCheck.run({ data_directory: join(directory, 'open'), fileSystemOf: plenty });
  t.is(open?.level, 'warning');
  t.regex(open?.remedy ?? '', /^chmod go-w /);
});

test('data directory: one that does not exist will be created', async (t) => {
  const data_directory = join(await folder(t), 'a', 'b');
  const [result] = await dataDirectoryCheck.run({ data_directory, fileSystemOf: plenty });
  t.is(result?.level, 'ok');
  t.regex(result?.message ?? '', /will be created/);
});

async function listener(t: ExecutionContext): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('port: another program on it is an error, and the server of the data directory is none', async (t) => {
  const data_directory = await folder(t);
  const port = await listener(t);
  const facts = { host: '127.0.0.1', port, data_directory };
  const [foreign] = await portCheck.run(facts);
  t.is(foreign?.level, 'error');
  t.regex(foreign?.message ?? '', /is used by another program/);
  const place = { pid: process.pid, host: '127.0.0.1', port, socket_path: null, started_at: '', version: '' };
  await writeFile(join(data_directory, 'server.json'), JSON.stringify(place), { mode: 0o600 });
  // What a server left behind that has ended does not count.
  t.is((await portCheck.run(facts))[0]?.level, 'error');
  using _lock = lockDataDirectory(data_directory);
  const [own] = await portCheck.run(facts);
  t.is(own?.level, 'ok', own?.message);
});

test('port: a free one, any, and an address that this host has not', async (t) => {
  const data_directory = await folder(t);
  t.is((await portCheck.run({ host: '127.0.0.1', port: 0, data_directory }))[0]?.level, 'ok');
  const [strange] = await portCheck.run({ host: '192.0.2.1', port: 8123, data_directory });
  t.is(strange?.level, 'error');
  t.regex(strange?.message ?? '', /cannot be used \(EADDRNOTAVAIL\)/);
});

test('storage: a file that is no database is an error, and a missing one is created by nobody', async (t) => {
  const directory = await folder(t);
  const [driver] = sqlite.storages ?? [];
  const file = join(directory, 'muster.db');
  const [missing] = await storageCheck.run({ driver, options: { path: file } });
  t.is(missing?.level, 'ok', missing?.message);
  await t.throwsAsync(chmod(file, 0o600), { code: 'ENOENT' });
  await writeFile(file, 'this is not a database, and it is long enough to be read as one'.repeat(100));
  const [broken] = await storageCheck.run({ driver, options: { path: file } });
  t.is(broken?.level, 'error', broken?.message);
});

test('storage: a database that does not answer, and a storage that no plugin has, are errors', async (t) => {
  const [driver] = postgres.storages ?? [];
  const [away] = await storageCheck.run({ driver, options: { url: 'postgres://muster@127.0.0.1:9/muster' } });
  t.is(away?.level, 'error');
  t.regex(away?.message ?? '', /ECONNREFUSED|not reach|refused/);
  t.is((await storageCheck.run({ driver: undefined, options: {} }))[0]?.level, 'error');
});

test('configuration: its findings count, and samples are a warning', async (t) => {
  const findings = [{ level: 'error' as const, path: '/server/port', message: 'must be a number' }];
  t.is((await configurationCheck.run({ file: 'x', findings }))[0]?.level, 'error');
  t.is((await configurationCheck.run({ file: undefined, findings: [] }))[0]?.level, 'warning');
  t.is((await configurationCheck.run({ file: 'x', findings: [] }))[0]?.level, 'ok');
});

test('templates: none, broken ones, and those that no instance serves are found', async (t) => {
  const run = async (more: object) =>
    templatesCheck.run({ directory: '/t', findings: [], template_ids: ['a'], unserved: [], ...more });
  t.is((await run({ template_ids: [] })).at(-1)?.level, 'error');
  t.is((await run({ findings: [{ level: 'error', path: '/0', message: 'bad' }] }))[0]?.level, 'error');
  const [unserved] = await run({ unserved: ['a'] });
  t.is(unserved?.level, 'warning');
  t.regex(unserved?.message ?? '', /No enabled provider instance serves template 'a'/);
  t.is((await run({}))[0]?.level, 'ok');
});
