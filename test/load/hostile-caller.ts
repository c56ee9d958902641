import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { dice } from '../crash/support/dice.ts';
import { readCorpus, seeds } from '../fuzz/corpus.ts';
import { objections } from '../fuzz/judge.ts';
import { mutated } from '../fuzz/mutated.ts';
import { callOf } from '../fuzz/recipe.ts';
import { Line } from './wire.ts';

/** What became of one call. */
export interface Told {
  readonly ms: number;
  /** Refused by the limit of its client. */
  readonly limited: boolean;
  /** The return that it made. */
  readonly made?: string;
  readonly wrong: readonly string[];
}

/** Where they are valid, nobody would follow the requests that they make. */
const requests = new Set(['request', 'selected', 'script_request']);

/** So many calls are made before the first is sent: making one costs more than answering it. */
const callsMade = 1_000;
/** It sends at most so often. */
const everyMs = 2;

export interface HostileData {
  readonly port: number;
  readonly seed: number;
  /** The address that a proxy tells the server. */
  readonly address: string;
}

const { port, seed, address } = workerData as HostileData;
const chance = dice(seed);
const line = new Line(port);
const pool = [...seeds, ...readCorpus()].filter(({ base }) => !requests.has(base));
const calls = Array.from({ length: callsMade }, () => {
  const recipe = mutated(chance.pick(pool), chance);
  return { recipe, ...callOf(recipe) };
});

const asked = { over: false };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- That is for windows: threads have no origin.
parentPort?.postMessage('ready');
if (parentPort) await once(parentPort, 'message');
parentPort?.once('message', () => (asked.over = true));

/** Calls made from valid ones, one after the other. None may be answered with a failure of ours. */
while (!asked.over) {
  const { recipe, method, path, text } = chance.pick(calls);
  const { status, ms, raw, body } = await line.sendText(method, path, text, {
    accept: 'application/json, text/event-stream',
    'x-forwarded-for': address,
  });
  await wait(everyMs);
  if (status === 0) continue;
  const made = body?.request_id ?? body?.requestId;
  const wrong = objections({ status, bytes: Buffer.byteLength(raw), body: raw }).map(
    (each) => `hostile: ${each}: ${JSON.stringify(recipe)}`,
  );
  const told: Told = { ms, limited: status === 429, wrong, ...(typeof made === 'string' ? { made } : {}) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- That is for windows: threads have no origin.
  parentPort?.postMessage(told);
}
line.close();
