import test from 'ava';
import { search, told } from './search.ts';

/** As the quick test, with many more histories, and other ones. */
const sizes = { small: 200, shared: 30, large: 20 } as const;

for (const [size, plays] of Object.entries(sizes) as [keyof typeof sizes, number][])
  test.serial(`none of ${plays} histories of size ${size} breaks a rule of the ideal broker`, async (t) => {
    t.timeout(600_000);
    const found = await search({ seed: 20_270_101, plays, size });
    t.is(found && told(found), undefined);
  });
