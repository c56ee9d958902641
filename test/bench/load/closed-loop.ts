import { join } from 'node:path';
import { Child } from '../processes/child.ts';
import { cpuSeconds, firstThreadSeconds } from '../processes/usage.ts';
import type { ClosedLoopJob, ClosedLoopResult } from './closed-loop-process.ts';

export const connections = 50;

/** What one round of load met. */
export interface Round {
  readonly rate: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Answers that one second of the server's processor time gives; undefined where the system does not tell. */
  readonly per_cpu_second: number | undefined;
  /** Microseconds of the thread that answers for one answer; undefined where the system does not tell. */
  readonly thread_us: number | undefined;
  /** Share of one processor that the server used: near 1, and the server was the slowest part. */
  readonly server_share: number | undefined;
}

/** Calls as fast as the answers come, over 50 connections, from a process of its own. */
export class ClosedLoop {
  readonly #child = Child.of(join(import.meta.dirname, 'closed-loop-process.ts'));

  async run(job: Omit<ClosedLoopJob, 'connections'>, serverPid: number): Promise<Round> {
    const before = cpuSeconds(serverPid);
    const threadBefore = firstThreadSeconds(serverPid);
    const result = await this.#child.ask<ClosedLoopResult>({ ...job, connections });
    const after = cpuSeconds(serverPid);
    const threadAfter = firstThreadSeconds(serverPid);
    if (result.failures > 0 || result.answers === 0)
      throw new Error(`${job.url}: ${result.failures} calls failed, ${result.answers} did not.`);
    const cpu = before === undefined || after === undefined ? undefined : Math.max(after - before, 0.01);
    return {
      rate: result.answers / result.seconds,
      p50_ms: result.p50_ms,
      p99_ms: result.p99_ms,
      per_cpu_second: cpu === undefined ? undefined : result.answers / cpu,
      thread_us:
        threadBefore === undefined || threadAfter === undefined
          ? undefined
          : ((threadAfter - threadBefore) * 1e6) / result.answers,
      server_share: cpu === undefined ? undefined : cpu / result.seconds,
    };
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}
