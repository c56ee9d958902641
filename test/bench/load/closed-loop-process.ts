/** A process: makes load with autocannon, one job after the other. */
import autocannon from 'autocannon';

export interface ClosedLoopJob {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly method?: 'GET' | 'POST';
  readonly body?: string;
  /** Whether the load keeps its processor instead of sleeping until an answer comes. */
  readonly awake?: boolean;
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

async function run({ awake = false, ...job }: ClosedLoopJob): Promise<void> {
  const release = awake ? stayAwake() : undefined;
  const result = await load(job);
  release?.();
  const told: ClosedLoopResult = {
    answers: result['2xx'],
    seconds: result.duration,
    failures: result.non2xx + result.errors + result.timeouts,
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
  };
  process.send?.(told);
}

const load = ({ url, connections, seconds, method = 'GET', body }: ClosedLoopJob) =>
  autocannon({
    url,
    connections,
    duration: seconds,
    method,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  });

/** The event loop never waits for the system, until the returned function is called. */
function stayAwake(): () => void {
  let immediate = setImmediate(function again() {
    immediate = setImmediate(again);
  });
  return () => clearImmediate(immediate);
}
