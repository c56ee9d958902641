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
import { growth, mostMbPerMinute, type Growth } from './heap.ts';
import { judge } from './judge.ts';
import { startServer } from './server.ts';
import { hostFactory, rest } from './words.ts';

export interface LoadOptions {
  readonly clients: number;
  readonly seconds: number;
  readonly seed: number;
  /** Ends the server gracefully after so many seconds, in the middle of everything, and starts it anew. */
  readonly stopAfter?: number;
  /** Watches the heaps, and leaves out so many seconds of warm-up. No machines stay then: the loop keeps those that live in memory. */
  readonly heapAfter?: number;
  readonly tell?: (line: string) => void;
}

export interface LoadReport {
  readonly book: Book;
  readonly wrong: readonly string[];
  /** From SIGTERM to the end of the process. */
  readonly stop_ms?: number;
  readonly rss_mb: readonly number[];
  readonly heaps: readonly Growth[];
}

const launch = { image_id: 'ami-067bea1a7acde1586', subnet_ids: ['subnet-0e24c7ca3264c9054'], max_instances: -1 };
const templates = [
  { ...launch, template_id: 'run', provider_api: 'RunInstances', machine_type: 't3.small' },
  { ...launch, template_id: 'fleet', provider_api: 'EC2Fleet', machine_types: { 'm5.large': 1, 'm6i.large': 1 } },
];
const configuration = {
  providers: [{ name: 'simulated', type: 'cloud', config: { endpoint_url: 'simulator:' } }],
  server: { rate_limit: { enabled: false }, log_level: 'warn' },
};
/** What was acknowledged last has so long to be carried out. */
const settleMs = 120_000;

/** Callers of both kinds go through their days at one server, which then is held to its word. */
export async function load({ clients, seconds, seed, stopAfter, heapAfter, tell = () => undefined }: LoadOptions): Promise<LoadReport> {
  const directory = mkdtempSync(join(tmpdir(), 'muster-load-'));
  writeFileSync(join(directory, 'templates.json'), JSON.stringify({ templates }));
  writeFileSync(join(directory, 'muster.config.json'), JSON.stringify(configuration));
  const cloud = await openCloud(directory, { boot_ms: 200, shutdown_ms: 200, throttle: { default_buckets: false } });
  const port = await freePort();
  const heapFile = heapAfter === undefined ? undefined : join(directory, 'heap.jsonl');
  let server = await startServer(directory, port, heapFile);
  const book = new Book();
  const rss: number[] = [];
  const began = Date.now();
  const sampling = setInterval(() => {
    rss.push(rssMb(server.pid) ?? 0);
    if (rss.length % 10 === 0)
      tell(`${rss.length} s: ${book.calls} calls, ${book.deals.length} requests, ${Math.round(rss.at(-1) ?? 0)} MB`);
  }, 1_000);
  try {
    let over = false;
    const days = Array.from({ length: clients }, (_, i) =>
      runClient({
        port,
        words: i % 2 === 0 ? rest : hostFactory,
        chance: dice(seed + i),
        book,
        keeps: heapAfter === undefined,
        over: () => over,
      }),
    );
    const all = Promise.all(days);
    all.catch(() => undefined);
    let stop_ms: number | undefined;
    if (stopAfter !== undefined) {
      await wait(stopAfter * 1_000);
      const asked = performance.now();
      server.signal('SIGTERM');
      const how = await server.ended;
      stop_ms = performance.now() - asked;
      if (how !== 0) book.wrong.push(`the server ended with ${how}: ${server.errors()}`);
      server = await startServer(directory, port, heapFile);
    }
    await wait(Math.max(0, began + seconds * 1_000 - Date.now()));
    over = true;
    await all;
    const until = Date.now() + settleMs;
    let wrong = await judge(directory, cloud.url, book);
    while (wrong.length > 0 && Date.now() < until) {
      await wait(500);
      wrong = await judge(directory, cloud.url, book);
    }
    const heaps = heapFile === undefined ? [] : growth(heapFile, began + (heapAfter ?? 0) * 1_000);
    const grown = heaps.filter(({ mb_per_minute }) => mb_per_minute > mostMbPerMinute);
    return {
      book,
      wrong: [
        ...book.wrong,
        ...wrong,
        ...grown.map(({ thread, mb_per_minute }) => `the heap of ${thread} grows by ${mb_per_minute.toFixed(2)} MB a minute`),
      ],
      ...(stop_ms === undefined ? {} : { stop_ms }),
      rss_mb: rss,
      heaps,
    };
  } finally {
    clearInterval(sampling);
    server.signal('SIGKILL');
    await server.ended;
    // The simulated cloud ends with its directory.
    rmSync(directory, { recursive: true, force: true });
  }
}
