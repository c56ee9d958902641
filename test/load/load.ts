import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openCloud } from '../bench/processes/cloud.ts';
import { freePort } from '../bench/processes/free-port.ts';
import { rssMb } from '../bench/processes/usage.ts';
import { dice } from '../crash/support/dice.ts';
import { Book } from './book.ts';
import { runClient } from './client.ts';
import { HeapBook, mostMbPerMinute, type Kept } from './heap.ts';
import { openHostile } from './hostile.ts';
import { judge } from './judge.ts';
import { watchStalls, type Stalls } from './stalls.ts';
import { startServer } from './server.ts';
import { hostFactory, rest } from './words.ts';

const interrupts = ['SIGINT', 'SIGTERM'] as const;

export interface LoadOptions {
  readonly clients: number;
  readonly seconds: number;
  readonly seed: number;
  /** Ends the server gracefully after so many seconds, in the middle of everything, and starts it anew. */
  readonly stopAfter?: number;
  /**
   * After that goes on for so many minutes, with a pause after each in which heaps are looked at. No machines stay
   * then: the loop keeps those that live in memory.
   */
  readonly heapMinutes?: number;
  /**
   * Each caller begins a request at most so often, and has an address and the rate limits of a new configuration.
   * 0: as soon as its last request is over, without limits.
   */
  readonly cycleSeconds?: number;
  /** Before that they call for so long, and it does not count: code is compiled and caches are filled. */
  readonly warmUpSeconds?: number;
  /** Beside them so many callers mean harm. */
  readonly hostile?: number;
  readonly tell?: (line: string) => void;
}

export interface LoadReport {
  readonly book: Book;
  readonly wrong: readonly string[];
  /** From SIGTERM to the end of the process. */
  readonly stop_ms?: number;
  readonly rss_mb: readonly number[];
  /** Of the last stretch of work. */
  readonly stalls: Stalls;
  readonly heaps: readonly Kept[];
}

const launch = { image_id: 'ami-067bea1a7acde1586', subnet_ids: ['subnet-0e24c7ca3264c9054'], max_instances: -1 };
const templates = [
  { ...launch, template_id: 'run', provider_api: 'RunInstances', machine_type: 't3.small' },
  { ...launch, template_id: 'fleet', provider_api: 'EC2Fleet', machine_types: { 'm5.large': 1, 'm6i.large': 1 } },
];
const configuration = (limited: boolean) => ({
  providers: [{ name: 'simulated', type: 'cloud', config: { endpoint_url: 'simulator:' } }],
  server: { rate_limit: { enabled: limited }, trust_proxy: limited, log_level: 'warn' },
});
/** At first all callers begin together, and code is compiled: those times are not counted. */
const coldMs = 5_000;
/** What was acknowledged last has so long to be carried out. */
const settleMs = 120_000;
/** Then claims are given back, caches of a moment end, and each thread has written down twice what it keeps. */
const quietMs = 15_000;

/** Callers of both kinds go through their days at one server, which then is held to its word. */
export async function load({
  clients,
  seconds,
  seed,
  stopAfter,
  heapMinutes = 0,
  cycleSeconds = 0,
  warmUpSeconds = 0,
  hostile = 0,
  tell = () => undefined,
}: LoadOptions): Promise<LoadReport> {
  const directory = mkdtempSync(join(tmpdir(), 'muster-load-'));
  writeFileSync(join(directory, 'templates.json'), JSON.stringify({ templates }));
  writeFileSync(join(directory, 'muster.config.json'), JSON.stringify(configuration(cycleSeconds > 0)));
  const cloud = await openCloud(directory, { boot_ms: 200, shutdown_ms: 200, throttle: { default_buckets: false } });
  const port = await freePort();
  const heapFile = heapMinutes === 0 ? undefined : join(directory, 'heap.jsonl');
  let server = await startServer(directory, port, heapFile);
  const book = new Book();
  const rss: number[] = [];
  const sampling = setInterval(() => {
    rss.push(rssMb(server.pid) ?? 0);
    if (rss.length % 10 === 0)
      tell(`${rss.length} s: ${book.calls} calls, ${book.deals.length} requests, ${Math.round(rss.at(-1) ?? 0)} MB`);
  }, 1_000);
  const interrupted = (): never => {
    server.signal('SIGKILL');
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    process.exit(1);
  };
  for (const signal of interrupts) process.once(signal, interrupted);
  let stop_ms: number | undefined;
  let stalls: Stalls = { callers: 0, server: {} };

  async function endAndStart(): Promise<void> {
    const asked = performance.now();
    server.signal('SIGTERM');
    const how = await server.ended;
    stop_ms = performance.now() - asked;
    if (how !== 0) book.wrong.push(`the server ended with ${how}: ${server.errors()}`);
    server = await startServer(directory, port, heapFile);
  }

  /** All callers for so long, until each has done what it began. */
  async function work(duration: number, during?: () => Promise<void>): Promise<void> {
    let over = false;
    const hostiles = await Promise.all(
      Array.from({ length: hostile }, (_, i) => openHostile({ port, seed: seed - i - 1, address: `10.1.0.${i}` })),
    );
    const keeps = heapMinutes === 0;
    const days = Array.from({ length: clients }, (_, i) =>
      runClient({
        port,
        words: i % 2 === 0 ? rest : hostFactory,
        chance: dice(seed + i),
        book,
        keeps,
        cycleMs: cycleSeconds * 1_000,
        address: `10.0.${i >> 8}.${i & 255}`,
        over: () => over,
      }),
    );
    const harm = hostiles.map((send) => send(book, () => over));
    const all = Promise.all([...days, ...harm]);
    all.catch(() => undefined);
    const end = Date.now() + duration * 1_000;
    await wait(Math.min(coldMs, (duration * 1_000) / 2));
    book.forgetTimes();
    const stood = await watchStalls(port);
    await during?.();
    await wait(Math.max(0, end - Date.now()));
    stalls = await stood();
    over = true;
    await all;
  }

  /** What is still wrong when there was time to carry everything out. */
  async function settled(): Promise<readonly string[]> {
    const until = Date.now() + settleMs;
    for (;;) {
      const wrong = await judge(directory, cloud.url, book);
      if (wrong.length === 0 || Date.now() > until) return wrong;
      await wait(500);
    }
  }

  try {
    if (warmUpSeconds > 0) {
      await work(warmUpSeconds);
      rss.length = 0;
    }
    await work(seconds, stopAfter === undefined ? undefined : () => wait(stopAfter * 1_000).then(endAndStart));
    let wrong = await settled();
    const heaps = heapFile === undefined ? undefined : new HeapBook(heapFile);
    const minutes = heaps === undefined ? [] : Array.from({ length: heapMinutes + 1 }, (_, minute) => minute);
    for (const minute of minutes) {
      if (minute > 0) await work(60);
      wrong = await settled();
      await wait(quietMs);
      heaps?.take();
    }
    const kept = heaps?.kept() ?? [];
    const grown = kept.filter(({ mb_per_minute }) => mb_per_minute > mostMbPerMinute);
    return {
      book,
      wrong: [
        ...book.wrong,
        ...wrong,
        ...grown.map(
          ({ thread, mb_per_minute }) => `the heap of ${thread} grows by ${mb_per_minute.toFixed(2)} MB a minute`,
        ),
      ],
      ...(stop_ms === undefined ? {} : { stop_ms }),
      rss_mb: rss,
      stalls,
      heaps: kept,
    };
  } finally {
    clearInterval(sampling);
    for (const signal of interrupts) process.off(signal, interrupted);
    server.signal('SIGKILL');
    await server.ended;
    // The simulated cloud ends with its directory, and may write into it until then.
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  }
}
