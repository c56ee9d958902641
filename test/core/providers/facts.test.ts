import test from 'ava';
import { silentLog } from '../../../core/log.ts';
import type { Shortfall } from '../../../core/model/shortfall.ts';
import { Facts, offerItem } from '../../../core/providers/facts.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryDriver } from '../../support/memory-driver.ts';

test('what is to be forgotten holds until then, and not where the clock was set back before it was learned', async (t) => {
  const clock = new FakeClock();
  const facts = new Facts(await memoryDriver().open({}, { clock, log: silentLog }), clock);
  const at = clock.now();
  const shortfall: Shortfall = { kind: 'capacity', code: 'None', message: 'There is none.', count: 1 };
  facts.learn([{ topic: 'offer', name: 'east', item: offerItem('Api', 'x'), value: shortfall, at, until: at + 180_000 }]);
  const known = () => [facts.withoutCapacity('east', 'Api', 'x'), facts.anyWithoutCapacity('east'), facts.lackingOffers('east').length];
  t.deepEqual(known(), [shortfall, true, 1]);
  await clock.advance(179_000);
  t.deepEqual(known(), [shortfall, true, 1]);
  await clock.advance(1_000);
  t.deepEqual(known(), [undefined, false, 0]);
  clock.jump(-181_500);
  t.deepEqual(known(), [undefined, false, 0]);
  clock.jump(600);
  t.deepEqual(known(), [shortfall, true, 1]);
});
