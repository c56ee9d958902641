import { existsSync, readFileSync } from 'node:fs';

/** What `processes/watch-thread.ts` writes down of a thread. */
export type ThreadLine =
  | { readonly blocked_ms: number; readonly blocked_cpu_ms: number; readonly queued_ms: number }
  /** Written in one transaction: more than in any before it. */
  | { readonly rows: number }
  /** Since the thread began. */
  | { readonly active_ms: number; readonly idle_ms: number; readonly cpu_ms: number };

type Line = ThreadLine & { readonly thread: number; readonly at: number };

/** How the loop's thread of a broker fared over a while. */
export interface ThreadRecord {
  /** Its event loop, at a stretch; without the time in which others had the processors. */
  readonly blocked_ms: number;
  /** What of the longest was processor time of the thread: the rest it waited, most likely for the disk. */
  readonly blocked_cpu_ms: number;
  /** How long it waited for a processor in that stretch. */
  readonly queued_ms: number;
  /** Of the time, from 0 to 1, in which the event loop was not idle. */
  readonly active: number;
  /** Processor time by time. */
  readonly cpu: number;
}

/** Between two moments, in epoch milliseconds. A quarter of a second at either end may be missing. */
export function threadRecord(file: string, since: number, until: number): ThreadRecord {
  const lines = linesOf(file).filter(({ at }) => at >= since && at <= until);
  const blocks = lines
    .flatMap((line) => ('blocked_ms' in line ? [line] : []))
    .toSorted((a, b) => b.blocked_ms - a.blocked_ms);
  const used = lines.flatMap((line) => ('active_ms' in line ? [line] : []));
  const [first, last] = [used[0], used.at(-1)];
  const { blocked_ms = 0, blocked_cpu_ms = 0, queued_ms = 0 } = blocks[0] ?? {};
  if (!first || !last || first === last)
    return { blocked_ms, blocked_cpu_ms, queued_ms, active: Number.NaN, cpu: Number.NaN };
  const active = last.active_ms - first.active_ms;
  const time = active + last.idle_ms - first.idle_ms;
  return {
    blocked_ms,
    blocked_cpu_ms,
    queued_ms,
    active: active / time,
    cpu: (last.cpu_ms - first.cpu_ms) / (last.at - first.at),
  };
}

/** Rows that the largest transaction of the loop's thread wrote. */
export const largestTransaction = (file: string): number =>
  Math.max(0, ...linesOf(file).flatMap((line) => ('rows' in line ? [line.rows] : [])));

/** The thread of the interfaces has the number 0. */
function linesOf(file: string): Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line): Line => JSON.parse(line)).filter(({ thread }) => thread > 0);
}
