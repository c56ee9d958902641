/**
 * A process: sends calls at times fixed in advance, and counts each one's time from when it was to be sent. A server
 * that stops for a moment so shows in every call that fell into it, not in one. /
 */
import { Agent, request } from 'node:http';
import { setPriority } from 'node:os';

export interface OpenLoopJob {
  readonly url: string;
  readonly per_second: number;
  readonly seconds: number;
  readonly body: string;
}

export interface OpenLoopResult {
  readonly sent: number;
  readonly failures: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
  /** How late this process itself sent the latest of its calls. */
  readonly behind_ms: number;
}

process.on('message', (job: OpenLoopJob) => void run(job));
process.on('disconnect', () => process.exit());
try {
  // A clock that is late for want of a processor measures itself.
  setPriority(-10);
} catch {
  // Not everyone may; `behind_ms` tells.
}

async function run({ url, per_second, seconds, body }: OpenLoopJob): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000, maxFreeSockets: 1_000, scheduling: 'lifo' });
  const options = {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  };
  const times: number[] = [];
  let failures = 0;
  let behind_ms = 0;

  const send = (at: number): Promise<void> =>
    new Promise((resolve) => {
      const fail = () => {
        failures += 1;
        resolve();
      };
      behind_ms = Math.max(behind_ms, performance.now() - at);
      const sent = request(url, options, (answer) => {
        answer.resume();
        answer.on('error', fail);
        answer.on('end', () => {
          if (answer.statusCode !== 200) return fail();
          times.push(performance.now() - at);
          resolve();
        });
      });
      sent.on('error', fail);
      sent.end(body);
    });

  const began = performance.now();
  const calls: Promise<void>[] = [];
  const count = per_second * seconds;
  while (calls.length < count) {
    const due = Math.min(count, Math.floor(((performance.now() - began) / 1000) * per_second) + 1);
    while (calls.length < due) calls.push(send(began + (calls.length / per_second) * 1000));
    await new Promise((resolve) => void setTimeout(resolve, 1));
  }
  await Promise.all(calls);
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  const result: OpenLoopResult = {
    sent: count,
    failures,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    max_ms: at(1),
    behind_ms,
  };
  process.send?.(result);
}
