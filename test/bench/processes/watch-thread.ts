/**
 * Loaded with `--import` into every thread of a process: writes down how each thread's event loop fares, into the file
 * that `BENCH_WATCH` names. A line for each block of 10 ms and more, one for each transaction that writes more rows
 * than any before it, and one every quarter of a second with the time that was used.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { threadId } from 'node:worker_threads';
import type { ThreadLine } from '../measure/thread-record.ts';

const file = process.env['BENCH_WATCH'];
/** Of Linux: nanoseconds on a processor, nanoseconds in the queue for one, and turns. */
const schedulerRecord = '/proc/thread-self/schedstat';
const stepMs = 4;
const leastMs = 10;
const tellMs = 250;

if (file !== undefined) {
  const tell = (line: ThreadLine): void =>
    appendFileSync(file, `${JSON.stringify({ thread: threadId, at: Date.now(), ...line })}\n`);
  watchBlocks(tell);
  watchTransactions(tell);
  setInterval(() => {
    const { active, idle } = performance.eventLoopUtilization();
    tell({ active_ms: active, idle_ms: idle, cpu_ms: cpuMs() });
  }, tellMs).unref();
}

function watchBlocks(tell: (line: ThreadLine) => void): void {
  let last = performance.now();
  let lastCpu = cpuMs();
  let lastQueued = queuedMs();
  setInterval(() => {
    const late_ms = performance.now() - last - stepMs;
    if (late_ms >= leastMs) {
      const queued_ms = queuedMs() - lastQueued;
      tell({ blocked_ms: Math.max(0, late_ms - queued_ms), blocked_cpu_ms: cpuMs() - lastCpu, queued_ms });
    }
    [last, lastCpu, lastQueued] = [performance.now(), cpuMs(), queuedMs()];
  }, stepMs).unref();
}

function watchTransactions(tell: (line: ThreadLine) => void): void {
  const { prepare } = DatabaseSync.prototype;
  let rows = 0;
  let most = 0;
  DatabaseSync.prototype.prepare = function watched(sql: string, ...rest) {
    const statement = prepare.call(this, sql, ...rest);
    const { run } = statement;
    statement.run = (...values: unknown[]) => {
      const result = Reflect.apply(run, statement, values);
      if (sql.startsWith('BEGIN')) rows = 0;
      else if (sql !== 'COMMIT') rows += /^(INSERT|UPDATE|DELETE)/.test(sql) ? Number(result.changes) : 0;
      else if (rows > most) tell({ rows: (most = rows) });
      return result;
    };
    return statement;
  };
}

/** How long this thread could have run, and other threads or processes had the processors. 0 where that is not known. */
function queuedMs(): number {
  if (!existsSync(schedulerRecord)) return 0;
  return Number(readFileSync(schedulerRecord, 'latin1').split(' ')[1]) / 1_000_000;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
