/**
 * `npm run model -- --runs N --seed S`: plays N histories at random against the core, on all processors. Stops at the
 * first that breaks a rule, and prints it as short as it could be made. `--large` plays them with the sizes of life;
 * `--but 'rule, rule'` leaves rules out; `--replay HISTORY` plays one, as it was printed, or a file of it, with
 * `--tell` telling what happens. Exit code 1: a rule was broken. /
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
      large: { type: 'boolean', default: false },
      but: { type: 'string', default: '' },
      replay: { type: 'string' },
      tell: { type: 'boolean', default: false },
    },
  });
  const but = values.but.split(',').map((rule) => rule.trim() as Rule);
  const found =
    values.replay === undefined ? await playAll(values, but) : await replay(values.replay, but, values.tell);
  if (found) process.stdout.write(`${told(found)}\n`);
  process.exitCode = found ? 1 : 0;
}

async function replay(given: string, but: readonly Rule[], tell: boolean): Promise<Found | undefined> {
  const history = JSON.parse(given.startsWith('{') ? given : readFileSync(given, 'utf8')) as History;
  const write = (line: string) => void process.stdout.write(`${line}\n`);
  const { violations } = await play(history, new Set(but), (world) => (tell ? tellOf(world, write) : undefined));
  process.stdout.write(violations.length === 0 ? 'No rule was broken.\n' : '');
  return violations.length === 0 ? undefined : { history, violations };
}

interface Given {
  readonly runs: string;
  readonly seed: string;
  readonly 'at-once': string;
  readonly large: boolean;
}

async function playAll(given: Given, but: readonly Rule[]): Promise<Found | undefined> {
  const runs = Number(given.runs);
  let begun = 0;
  let done = 0;
  const thread = async (): Promise<Found | undefined> => {
    while (begun < runs) {
      const plays = Math.min(playsEach, runs - begun);
      const seed = Number(given.seed) + begun;
      begun += plays;
      const found = await inThread({ seed, plays, size: given.large ? 'large' : 'small', but });
      done += plays;
      process.stderr.write(`seed ${seed}: ${found ? 'a rule was broken' : `${done} of ${runs} played`}\n`);
      if (found) return found;
    }
    return undefined;
  };
  // The first that finds something ends the others.
  const threads = Array.from({ length: Number(given['at-once']) }, thread);
  const found = await Promise.any(
    threads.map(async (each) => (await each) ?? Promise.reject(new Error('Nothing was found.'))),
  ).catch(() => undefined);
  await Promise.all([...running].map((worker) => worker.terminate()));
  if (!found) process.stdout.write(`${done} histories played, no rule was broken.\n`);
  return found;
}

function inThread(data: Search): Promise<Found | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(import.meta.filename, { workerData: data });
    running.add(worker);
    worker.once('exit', () => running.delete(worker));
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
