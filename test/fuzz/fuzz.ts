import { dice } from '../crash/support/dice.ts';
import { readCorpus, seeds } from './corpus.ts';
import { mostMs, objections } from './judge.ts';
import { mutated } from './mutated.ts';
import { play, type Outcome } from './play.ts';
import { callOf, type Recipe } from './recipe.ts';
import { openStage } from './stage.ts';

export interface FuzzOptions {
  readonly calls: number;
  readonly seed: number;
  readonly tell?: (line: string) => void;
}

/** One that is kept: why, and how long it took. */
export interface Kept {
  readonly recipe: Recipe;
  readonly cpu_ms: number;
  readonly way: string;
}

export interface FuzzReport {
  readonly wrong: readonly string[];
  /** The longest, by call. */
  readonly longest: ReadonlyMap<string, Kept>;
  /** One of each way in which a call was answered. */
  readonly ways: ReadonlyMap<string, Kept>;
  /**
   * Megabytes of the heap after a collection, after the first tenth and at the end; 0 where collections cannot be
   * asked for.
   */
  readonly heap_mb: readonly [number, number];
}

/** Once more, and the least counts: this thread also collects garbage, and the machine does other things. */
const triesWhenLong = 4;

/**
 * Plays calls made from valid ones and from those that are kept, and keeps what is answered in a new way or takes
 * longer than all before.
 */
export async function fuzz({ calls, seed, tell }: FuzzOptions): Promise<FuzzReport> {
  const chance = dice(seed);
  const stage = await openStage();
  const pool: Recipe[] = [...seeds, ...readCorpus()];
  const longest = new Map<string, Kept>();
  const ways = new Map<string, Kept>();
  const wrong: string[] = [];
  let heapAtFirst = 0;
  try {
    for (let i = 0; i < calls; i++) {
      const recipe = i < pool.length && i >= seeds.length ? (pool[i] as Recipe) : mutated(chance.pick(pool), chance);
      const outcome = await measured(stage.app, recipe);
      const kept = { recipe, cpu_ms: outcome.cpu_ms, way: wayOf(recipe, outcome) };
      const isLonger = outcome.cpu_ms > (longest.get(recipe.base)?.cpu_ms ?? 0);
      if (isLonger) longest.set(recipe.base, kept);
      if (!ways.has(kept.way)) ways.set(kept.way, kept);
      if ((isLonger || ways.get(kept.way) === kept) && recipe.steps.length > 0) pool.push(recipe);
      const late = outcome.cpu_ms > mostMs ? [`it took ${outcome.cpu_ms.toFixed(0)} ms of the thread`] : [];
      for (const each of [...objections(outcome), ...late]) wrong.push(`${each}: ${JSON.stringify(recipe)}`);
      if (i === Math.floor(calls / 10)) heapAtFirst = heapMb();
      if (i % 1_000 === 999)
        tell?.(
          `${i + 1} calls, ${ways.size} ways, longest ${longestOf(longest).toFixed(0)} ms, ${wrong.length} wrong`,
        );
    }
    return { wrong, longest, ways, heap_mb: [heapAtFirst, heapMb()] };
  } finally {
    await stage.close();
  }
}

const longestOf = (longest: ReadonlyMap<string, Kept>): number =>
  Math.max(0, ...[...longest.values()].map(({ cpu_ms }) => cpu_ms));

function heapMb(): number {
  if (!globalThis.gc) return 0;
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1e6;
}

async function measured(app: Parameters<typeof play>[0], recipe: Recipe): Promise<Outcome> {
  const call = callOf(recipe);
  let outcome = await play(app, call);
  for (let tries = 1; outcome.cpu_ms > mostMs && tries < triesWhenLong; tries++) {
    const again = await play(app, call);
    if (again.cpu_ms < outcome.cpu_ms) outcome = again;
  }
  return outcome;
}

/** How a call was answered, without what differs from call to call. */
function wayOf({ base }: Recipe, { status, body }: Outcome): string {
  const shape = body
    .slice(0, 200)
    .replaceAll(/[\d'"\\]+/g, '')
    .replaceAll(/k-?\w+/g, 'k')
    .slice(0, 40);
  return `${base} ${status} ${shape}`;
}
