/** A process: makes load with autocannon, one job after the other. */
import autocannon from 'autocannon';

export interface ClosedLoopJob {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly method?: 'GET' | 'POST';
  readonly body?: string;
}

export interface ClosedLoopResult {
  readonly answers: number;
  readonly seconds: number;
  readonly failures: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

process.on('message', (job: ClosedLoopJob) => void run(job));
process.on('disconnect', () => process.exit());

async function run({ url, connections, seconds, method = 'GET', body }: ClosedLoopJob): Promise<void> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    method,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  });
  const told: ClosedLoopResult = {
    answers: result['2xx'],
    seconds: result.duration,
    failures: result.non2xx + result.errors + result.timeouts,
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
  };
  process.send?.(told);
}
