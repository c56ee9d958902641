import test from 'ava';
import { parseProcessStat, readProcessStat } from '../../../host/client/process-stat.ts';

const lines: readonly (readonly [what: string, line: string, expected: ReturnType<typeof parseProcessStat>])[] = [
  [
    'running',
    '812 (node) S 1 812 812 0 -1 4194304 9 0 0 0 5 2 0 0 20 0 11 0 4086266 9 9 9',
    { state: 'alive', startedTicks: 4086266 },
  ],
  [
    'ended, and not reaped yet',
    '812 (node) Z 1 812 812 0 -1 4227084 9 0 0 0 5 2 0 0 20 0 1 0 4086266 0 0 0',
    { state: 'ended', startedTicks: 4086266 },
  ],
  [
    'its first thread has ended, another one still holds the files',
    '812 (node) Z 1 812 812 0 -1 4227084 9 0 0 0 5 2 0 0 20 0 2 0 4086266 0 0 0',
    { state: 'ending', startedTicks: 4086266 },
  ],
  [
    'a name that looks like the rest of the line',
    '812 (x) Z 1 (y) S 1 812 812 0 -1 4194304 9 0 0 0 5 2 0 0 20 0 1 0 77 9 9 9',
    { state: 'alive', startedTicks: 77 },
  ],
];

for (const [what, line, expected] of lines)
  test(`a process: ${what}`, (t) => void t.deepEqual(parseProcessStat(line), expected));

test('the process itself runs; a pid that nobody has is not listed', (t) => {
  if (process.platform === 'linux') t.like(readProcessStat(process.pid), { state: 'alive' });
  t.is(readProcessStat(2 ** 30), undefined);
});
