/**
 * Loaded before everything else in every thread of a broker that is attacked: lets its time pass faster, and ends or
 * stops the process at a commit. What it is to do stands in the environment, see `Attack`. When the process ends by
 * itself it leaves behind how often each thread committed.
 */
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';
import { systemClock, type Clock } from '../../../core/contract/clock.ts';
import { fastNow } from './fast-clock.ts';
import { partMachines, type Attack } from './kill-point.ts';

const { clock, commit, part, freezes, counts }: Attack = JSON.parse(process.env['ATTACK'] ?? '{}');
const ending = freezes ? 'SIGSTOP' : 'SIGKILL';
const thread = isMainThread ? 'interfaces' : 'loop';

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
let parts = 0;
/** Written in the transaction that is under way. */
let machines = 0;

/** What happens before a statement of this text runs, and after it did. */
function around(sql: string): { readonly before: () => void; readonly after: () => void } | undefined {
  let dies: 'before' | 'after' | undefined;
  if (sql.startsWith('BEGIN')) return { before: () => (machines = 0), after: () => undefined };
  if (/^(INSERT INTO|UPDATE) "?machine"?\s/.test(sql))
    return { before: () => (machines += 1), after: () => undefined };
  if (sql !== 'COMMIT') return undefined;
  return {
    before() {
      commits += 1;
      const isPart = machines >= partMachines;
      if (isPart) parts += 1;
      dies = commit?.thread === thread && commit.nth === commits ? commit.phase : undefined;
      if (isPart && thread === 'loop' && part?.nth === parts) dies = part.phase;
      if (dies === 'before') process.kill(process.pid, ending);
    },
    after() {
      if (dies === 'after') process.kill(process.pid, ending);
    },
  };
}

const prepare = DatabaseSync.prototype.prepare;
DatabaseSync.prototype.prepare = function attacked(sql: string, ...rest) {
  const statement = prepare.call(this, sql, ...rest);
  const attack = around(sql);
  if (attack === undefined) return statement;
  const { run } = statement;
  statement.run = (...values: unknown[]) => {
    attack.before();
    const result = Reflect.apply(run, statement, values);
    attack.after();
    return result;
  };
  return statement;
};
if (counts !== undefined) process.on('exit', () => writeFileSync(`${counts}.${thread}`, String(commits)));
