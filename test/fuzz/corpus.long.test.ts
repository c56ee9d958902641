import test from 'ava';
import { bases } from './bases.ts';
import { readCorpus } from './corpus.ts';
import { fuzz } from './fuzz.ts';
import { objections } from './judge.ts';
import { play } from './play.ts';
import { callOf } from './recipe.ts';
import { openStage } from './stage.ts';
import { stepped, stepNames, textOf } from './steps.ts';

test('no hostile call of the corpus gets an internal error, thousands of findings or megabytes as its answer', async (t) => {
  const stage = await openStage();
  t.teardown(() => stage.close());
  const corpus = readCorpus();
  t.true(corpus.length > 50, `${corpus.length} calls`);
  for (const recipe of corpus)
    t.deepEqual(objections(await play(stage.app, callOf(recipe))), [], JSON.stringify(recipe));
});

test('new ones are made of those and of valid calls, and none of them is either', async (t) => {
  const { wrong, ways } = await fuzz({ calls: 40, seed: 7 });
  t.true(ways.size > 15, `${ways.size} ways`);
  t.deepEqual(
    wrong.filter((each) => !each.startsWith('it took')),
    [],
  );
});

test('a recipe makes the same call each time', (t) => {
  for (const recipe of readCorpus().filter((_, i) => i % 5 === 0))
    t.deepEqual(callOf(recipe), callOf(structuredClone(recipe)));
});

test('a step is small, and what becomes of it is no larger than what is read', (t) => {
  for (const { body } of Object.values(bases)) {
    if (body === undefined) continue;
    for (const name of stepNames)
      t.true(textOf(stepped({ value: body }, [name, 7, 1_000_000])).length < 3 * 1024 * 1024, name);
  }
});
