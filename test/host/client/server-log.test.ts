import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { endOfLog, lastLines, openServerLog, readLog } from '../../../host/client/server-log.ts';

test('a server that starts renames a large log, and removes the oldest one', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'muster-log-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'server.log');
  for (const first of ['a', 'b', 'c', 'd', 'e']) {
    writeFileSync(file, first);
    truncateSync(file, 10 * 1024 * 1024 + 1);
    closeSync(openServerLog(directory));
  }
  t.deepEqual(readdirSync(directory).toSorted(), ['server.log', 'server.log.1', 'server.log.2', 'server.log.3']);
  t.is(statSync(file).size, 0);
  t.is(statSync(file).mode & 0o777, 0o600);
  appendFileSync(file, 'small\n');
  closeSync(openServerLog(directory));
  t.is(readLog(directory, 0), 'small\n');
});

test('lastLines returns the last lines, also from a given position', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'muster-log-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  t.deepEqual(lastLines(directory, 5), []);
  const file = join(directory, 'server.log');
  writeFileSync(file, 'one\ntwo\n');
  const from = endOfLog(directory);
  appendFileSync(file, 'three\nfour\n');
  t.deepEqual(lastLines(directory, 3), ['two', 'three', 'four']);
  t.deepEqual(lastLines(directory, 3, from), ['three', 'four']);
});
