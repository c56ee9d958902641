import test from 'ava';
import { isDamage, leftNothing, unavailable } from '../../../plugins/storage-sqlite/database/failures.ts';
import { Health } from '../../../plugins/storage-sqlite/database/health.ts';
import { silentLog } from '../../../core/index.ts';

const sqlite = (errcode: number, message: string): Error => Object.assign(new Error(message), { errcode });

test('a commit that could not be written leaves nothing; after a failed sync the outcome is unknown, and the caller gets the remedy', (t) => {
  for (const code of [13, 778, 4874]) t.true(leftNothing(sqlite(code, '')), String(code));
  for (const code of [10, 1034, 1290, 19]) t.false(leftNothing(sqlite(code, '')), String(code));
  const doubtful = unavailable('/x/muster.db', sqlite(1034, 'disk I/O error'), 'unknown');
  t.deepEqual(doubtful.details, { outcome: 'unknown' });
  t.regex(
    doubtful.message,
    /SQLITE_IOERR_FSYNC.*may appear after a crash: repeat the call with the same Idempotency-Key\.$/,
  );
});

test('every message names the file, what SQLite reported, and what to do', (t) => {
  const said: readonly (readonly [number, string, RegExp])[] = [
    [5, 'database is locked', /another process holds its lock\. Try again later/],
    [13, 'database or disk is full', /the disk is full.*Free some space; muster continues by itself/],
    [
      8,
      'attempt to write a readonly database',
      /read-only \(attempt to write.*Make the file and its directory writable; muster continues by itself/,
    ],
    [1032, 'attempt to write a readonly database', /SQLITE_READONLY_DBMOVED/],
    [778, 'disk I/O error', /\(disk I\/O error, SQLITE_IOERR_WRITE.*quotas.*continues by itself/],
    [267, 'malformed', /is damaged \(malformed\)\. `muster storage check`.*replace \/x\/muster\.db with a backup/],
  ];
  for (const [code, message, expected] of said) {
    const refused = unavailable('/x/muster.db', sqlite(code, message));
    t.true(refused.message.startsWith('The database /x/muster.db cannot serve: '));
    t.regex(refused.message, expected);
  }
  t.true(isDamage(sqlite(267, '')) && !isDamage(sqlite(778, '')));
});

test('a disk that is full again and again is logged once in ten seconds; damage is never reported as over', (t) => {
  const told: string[] = [];
  const tell = (_: object, message: string) => void told.push(message);
  const health = new Health({ ...silentLog, error: tell, info: tell });
  for (let i = 0; i < 50; i++) {
    health.failed(unavailable('/x/muster.db', sqlite(13, 'full')));
    health.failed(unavailable('/x/muster.db', sqlite(13, 'full')));
    t.false(health.wroteWithin(60_000));
    health.wrote();
    t.true(health.wroteWithin(60_000));
  }
  t.deepEqual(
    told.map((line) => line.slice(0, 24)),
    ['The database /x/muster.d', 'The database can be writ'],
  );
  t.is(health.damage, undefined);
  health.failed(unavailable('/x/muster.db', sqlite(11, 'malformed')));
  health.wrote();
  t.regex(health.damage?.message ?? '', /is damaged/);
  for (let i = 0; i < 9; i++) health.failed(unavailable('/x/muster.db', sqlite(11, 'malformed')));
  t.is(told.length, 3, 'damage is told at once, and once');
});
