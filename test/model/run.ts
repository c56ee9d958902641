/**
 * `npm run model -- --runs N --seed S`: plays N histories at random against the core, on all processors. Stops at the
 * first that breaks a rule, and prints it as short as it could be made; with `--all` it goes on, and prints each.
 * `--large` plays them with the sizes of life;
 * `--but 'rule, rule'` leaves rules out; `--replay HISTORY` plays one, as it was printed, or a file of it, with
 * `--tell` telling what happens. Exit code 1: a rule was broken.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { tellOf } from './account.ts';
import type { History } from './commands.ts';
import type { Rule } from './judge.ts';
import { play } from './play.ts';
import { search, told, type Found, type Search } from './search.ts';

/** A thread plays so many and ends: what it has piled up goes with it. */
const playsEach = 250;
const running = new Set<Worker>();

if (!isMainThread) {
  const found = await search(workerData as Search);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- That is for windows: threads have no origin.
  parentPort?.postMessage(found);
} else {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(Date.now() % 1e6) },
      'at-once': { type: 'string', default: String(availableParallelism()) },
      all: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      but: { type: 'string', default: '' },
      replay: { type: 'string' },
      tell: { type: 'boolean', default: false },
    },
  });
  const but = values.but.split(',').map((rule) => rule.trim() as Rule);
  const found =
    values.replay === undefined ? await playAll(values, but) : await replay(values.replay, but, values.tell);
  process.exitCode = found ? 1 : 0;
}

async function replay(given: string, but: readonly Rule[], tell: boolean): Promise<boolean> {
  const history = JSON.parse(given.startsWith('{') ? given : readFileSync(given, 'utf8')) as History;
  const write = (line: string) => void process.stdout.write(`${line}\n`);
  const { violations } = await play(history, new Set(but), (world) => (tell ? tellOf(world, write) : undefined));
  process.stdout.write(violations.length === 0 ? 'No rule was broken.\n' : `${told({ history, violations })}\n`);
  return violations.length > 0;
}

interface Given {
  readonly runs: string;
  readonly seed: string;
  readonly 'at-once': string;
  readonly all: boolean;
  readonly large: boolean;
}

async function playAll(given: Given, but: readonly Rule[]): Promise<boolean> {
  const runs = Number(given.runs);
  let [begun, done, found] = [0, 0, 0];
  const thread = async (): Promise<void> => {
    while (begun < runs && (given.all || found === 0)) {
      const plays = Math.min(playsEach, runs - begun);
      const seed = Number(given.seed) + begun;
      begun += plays;
      const broken = await inThread({ seed, plays, size: given.large ? 'large' : 'small', but });
      done += plays;
      process.stderr.write(`seed ${seed}: ${broken ? 'a rule was broken' : `${done} of ${runs} played`}\n`);
      if (!broken) continue;
      found += 1;
      if (given.all || found === 1) process.stdout.write(`${told(broken)}\n`);
      if (!given.all) await Promise.all([...running].map((worker) => worker.terminate()));
    }
  };
  await Promise.all(Array.from({ length: Number(given['at-once']) }, thread));
  if (found === 0) process.stdout.write(`${done} histories played, no rule was broken.\n`);
  else if (given.all) process.stdout.write(`${found} pieces of ${playsEach} histories ended with a broken rule.\n`);
  return found > 0;
}

function inThread(data: Search): Promise<Found | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(import.meta.filename, { workerData: data });
    running.add(worker);
    worker.once('exit', () => {
      running.delete(worker);
      // A thread that was ended found nothing. Else its message came first.
      resolve(undefined);
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
