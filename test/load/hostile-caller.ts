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
  /** The return that it made. */
  readonly made?: string;
  readonly wrong: readonly string[];
}

/** Where they are valid, nobody would follow the requests that they make. */
const requests = new Set(['request', 'selected', 'script_request']);

const { port, seed } = workerData as { readonly port: number; readonly seed: number };
const chance = dice(seed);
const line = new Line(port);
const pool = [...seeds, ...readCorpus()].filter(({ base }) => !requests.has(base));
const asked = { over: false };
parentPort?.once('message', () => (asked.over = true));

/** Calls made from valid ones, one after the other. None may be answered with a failure of ours. */
while (!asked.over) {
  const recipe = mutated(chance.pick(pool), chance);
  const { method, path, text } = callOf(recipe);
  const { status, ms, raw, body } = await line.sendText(method, path, text, {
    accept: 'application/json, text/event-stream',
  });
  if (status === 0) continue;
  const made = body?.request_id ?? body?.requestId;
  const wrong = objections({ status, bytes: Buffer.byteLength(raw), body: raw }).map(
    (each) => `hostile: ${each}: ${JSON.stringify(recipe)}`,
  );
  const told: Told = { ms, wrong, ...(typeof made === 'string' ? { made } : {}) };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- That is for windows: threads have no origin.
  parentPort?.postMessage(told);
}
line.close();
