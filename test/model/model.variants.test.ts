import test from 'ava';
import { pasts } from './histories.ts';
import { play } from './play.ts';
import { search, told } from './search.ts';
import { tries } from '../support/variants.ts';

for (const past of pasts) {
  test.serial(past.what, async (t) => {
    const { violations } = await play(past);
    t.deepEqual(
      violations.map(({ rule, what }) => `${rule}: ${what}`),
      [],
    );
  });
}

test.serial('no history that was made at random breaks a rule of the ideal broker', async (t) => {
  t.timeout(600_000);
  const found = await search({ seed: 20_260_101, plays: tries(3, 12), size: 'small' });
  t.is(found && told(found), undefined);
});

test.serial('nor does one with the sizes of life', async (t) => {
  t.timeout(600_000);
  const found = await search({ seed: 20_260_101, plays: 1, size: 'large' });
  t.is(found && told(found), undefined);
});
