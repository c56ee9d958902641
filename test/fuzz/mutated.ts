import type { Dice } from '../crash/support/dice.ts';
import type { Recipe } from './recipe.ts';
import { stepNames } from './steps.ts';

/** Some just within what calls may name. */
const amounts = [1, 3, 30, 300, 1_000, 3_000, 10_000, 24_000, 30_000, 300_000, 1_000_000];
const mostSteps = 4;

/** One step further from a valid call. */
export function mutated({ base, steps }: Recipe, chance: Dice): Recipe {
  const kept = steps.length >= mostSteps ? steps.slice(0, chance.roll(mostSteps)) : steps;
  return { base, steps: [...kept, [chance.pick(stepNames), chance.roll(1_000), chance.pick(amounts)]] };
}
