import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'ava';

test('connections leave files for the broker itself: of what the process may open beside 512, or half of few', (t) => {
  const module = join(import.meta.dirname, '../../../host/http/connection-bound.ts');
  const script = `import { connectionBound } from ${JSON.stringify(module)}; console.log([100, 10_000].map(connectionBound).join(' '))`;
  const bounds = (files: number) =>
    spawnSync(
      '/bin/sh',
      ['-c', `ulimit -n ${files} && exec "$0" --input-type=module -e "$1"`, process.execPath, script],
      {
        encoding: 'utf8',
      },
    ).stdout;
  t.is(bounds(2_000), '100 1488\n');
  t.is(bounds(600), '100 300\n');
});
