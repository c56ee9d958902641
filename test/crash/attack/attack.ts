/**
 * Loaded before everything else in every thread of a broker that is attacked: lets its time pass faster, and ends or
 * stops the process at a commit or a call. What it is to do stands in the environment, see `Attack`. When the process
 * ends by itself it leaves behind how often each thread committed.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { systemClock, type Clock } from '../../../core/contract/clock.ts';
import { useFastLoading } from '../../../host/process/fast-loading.ts';
import { attackCalls } from './attack-calls.ts';
import { commitAttack } from './commit-attack.ts';
import { fastNow } from '../campaign/fast-clock.ts';
import { moveToHost } from './move-to-host.ts';
import type { Attack } from '../campaign/kill-point.ts';

// What is attacked is in the sources.
useFastLoading({ bundled: false });
const how: Attack = JSON.parse(process.env['ATTACK'] ?? '{}');
const { clock, call, counts, freezes, host, storage } = how;
const thread = isMainThread ? 'interfaces' : 'loop';
const end = () => void process.kill(process.pid, freezes ? 'SIGSTOP' : 'SIGKILL');

if (clock) {
  const { monotonic, sleep } = systemClock;
  const fast: Clock = {
    now: () => Math.round(fastNow(clock, Date.now())),
    monotonic: () => monotonic() * clock.times,
    sleep: (ms, signal) => sleep(ms / clock.times, signal),
  };
  Object.assign(systemClock, fast);
}
if (host !== undefined) moveToHost(host);
if (call && !isMainThread) attackCalls(call, end);

const commits = commitAttack(how, thread, end);
if (storage === 'postgres') (await import('./attack-postgres.ts')).attackPostgres(commits);
else (await import('./attack-sqlite.ts')).attackSqlite(commits);
if (counts !== undefined) process.on('exit', () => writeFileSync(`${counts}.${thread}`, String(commits.commits)));
