import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { largeHistories, smallHistories, type History } from './commands.ts';
import { play } from './play.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    large: { type: 'boolean', default: false },
  },
});
const began = Date.now();
let plays = 0;
const outcome = await fc.check(
  fc.asyncProperty(values.large ? largeHistories : smallHistories, async (history: History) => {
    plays += 1;
    const { violations } = await play(history);
    if (violations.length > 0) throw new Error(violations.map(({ rule, what, at }) => `[${rule}] at ${at}: ${what}`).join('\n'));
  }),
  { numRuns: Number(values.runs), seed: Number(values.seed) },
);
console.log(`${plays} plays, ${Date.now() - began} ms, ${((Date.now() - began) / plays).toFixed(1)} each`);
if (outcome.failed) {
  console.log(JSON.stringify(outcome.counterexample?.[0]?.setup));
  for (const c of outcome.counterexample?.[0]?.commands ?? []) console.log(JSON.stringify(c));
  console.log(String((outcome.errorInstance as Error)?.message), outcome.counterexamplePath, outcome.numShrinks);
}
