import test from 'ava';
import { silentLog } from '../../../core/index.ts';
import { Stoppages } from '../../../core/providers/quarantine/stoppages.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryDriver } from '../../support/memory-driver.ts';

test('what a plugin is charged with holds for its version at every broker, and a new version gets a new trial', async (t) => {
  const clock = new FakeClock();
  const store = await memoryDriver().open({}, { clock, log: silentLog });
  const stop = (at: number) => [
    { instance: 'east', request_id: 'r-1', template_id: 'small', why: 'It hung.', at: clock.now() + at, ms: 60_000 },
  ];
  const open = (version: string, stopped = stop(0).slice(1)) =>
    Stoppages.open(store, clock, stopped, () => `cloud ${version}`);
  await open('1.0.0', stop(1));
  const charged = await open('1.0.0', stop(2));
  t.deepEqual([...charged.excludedFor('r-1').keys()], ['east']);
  t.is((await open('1.0.0')).excludedFor('r-1').size, 1, 'at another broker, and after a restart');
  const renewed = await open('1.0.1');
  t.is(renewed.excludedFor('r-1').size, 0);
  t.deepEqual(renewed.quarantined, []);
  const again = await open('1.0.1', stop(3));
  t.is(again.excludedFor('r-1').size, 0, 'it counts from the beginning');
  t.is(again.quarantined.length, 1);
});
