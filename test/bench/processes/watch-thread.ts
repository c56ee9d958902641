/**
 * Loaded with `--import` into every thread of a process: writes down how each thread's event loop fares, into the file
 * that `BENCH_WATCH` names. A line for each block of 10 ms and more, one for each transaction that writes more rows
 * than any before it, and one every quarter of a second with the time that was used. /
 */
import { appendFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { threadId } from 'node:worker_threads';
import type { ThreadLine } from '../measure/thread-record.ts';

const file = process.env['BENCH_WATCH'];
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
  setInterval(() => {
    const now = performance.now();
    const cpu = cpuMs();
    const blocked_ms = now - last - stepMs;
    // Less than was blocked, where other processes had the processor.
    if (blocked_ms >= leastMs) tell({ blocked_ms, blocked_cpu_ms: cpu - lastCpu });
    [last, lastCpu] = [performance.now(), cpuMs()];
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

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
