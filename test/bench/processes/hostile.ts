/**
 * Plays the corpus of hostile calls in a process of its own, on a message; of each call the least of some tries
 * counts.
 */
import { readCorpus } from '../../fuzz/corpus.ts';
import { objections } from '../../fuzz/judge.ts';
import { play } from '../../fuzz/play.ts';
import { callOf } from '../../fuzz/recipe.ts';
import { openStage } from '../../fuzz/stage.ts';

const tries = 3;

process.once('message', async () => {
  const stage = await openStage();
  const times: number[] = [];
  let wrong = 0;
  for (const recipe of readCorpus()) {
    const call = callOf(recipe);
    let least = Infinity;
    for (let n = 0; n < tries; n++) {
      const outcome = await play(stage.app, call);
      least = Math.min(least, outcome.cpu_ms);
      if (n === 0 && objections(outcome).length > 0) wrong += 1;
    }
    times.push(least);
  }
  await stage.close();
  process.send?.({ times, wrong });
});
