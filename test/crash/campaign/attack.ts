/**
 * Loaded before everything else in every thread of a broker that is attacked: lets its time pass faster, and ends the process at a commit. What it is to do
 * stands in the environment, see `Attack`. When the process ends by itself it leaves behind how often each thread committed.
 */
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';
import { systemClock, type Clock } from '../../../core/clock.ts';
import { fastNow } from './fast-clock.ts';
import type { Attack } from './kill-point.ts';

const { clock, commit, counts }: Attack = JSON.parse(process.env['ATTACK'] ?? '{}');
const thread = isMainThread ? 'faces' : 'loop';

if (clock) {
  const { monotonic, sleep } = systemClock;
  const fast: Clock = {
    now: () => Math.round(fastNow(clock, Date.now())),
    monotonic: () => monotonic() * clock.times,
    sleep: (ms, signal) => sleep(ms / clock.times, signal),
  };
  Object.assign(systemClock, fast);
}

let commits = 0;
const prepare = DatabaseSync.prototype.prepare;
DatabaseSync.prototype.prepare = function attacked(sql: string, ...rest) {
  const statement = prepare.call(this, sql, ...rest);
  if (sql !== 'COMMIT') return statement;
  const run = statement.run.bind(statement);
  statement.run = () => {
    commits += 1;
    const dies = commit?.thread === thread && commit.nth === commits;
    if (dies && commit.phase === 'before') process.kill(process.pid, 'SIGKILL');
    const result = run();
    if (dies) process.kill(process.pid, 'SIGKILL');
    return result;
  };
  return statement;
};
if (counts !== undefined) process.on('exit', () => writeFileSync(`${counts}.${thread}`, String(commits)));
