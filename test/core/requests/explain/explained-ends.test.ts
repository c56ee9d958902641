import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const short = () => new ProviderFault('capacity', 'No a.', { code: 'ICE', offer: 'a' });

test('the end of all-or-nothing, of a time-out and of machines that never became ready is explained', async (t) => {
  const east = new ScriptedCloud({}, [{ key: 'a' }]);
  const bench = await loopBench({ east });
  east.scripts.push((order, cloud) => ({
    ...cloud.start(order, 1),
    shortfall: [{ offer: 'a', kind: 'capacity', code: 'ICE', message: 'No a.', count: 1 }],
  }));
  const whole = await bench.request(2, { partial: 'all_or_nothing' });
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(5_000);
  t.is(
    (await bench.explain(whole)).because,
    "The template accepts all 2 machines or none, and 1 could be delivered; those were released, because 'east' had no capacity for 'a' (ICE).",
  );
  await bench.clock.advance(200_000);
  const late = await bench.request(2, { timeout: 60 });
  await bench.clock.advance(2_000);
  east.boot(east.live(late)[0] ?? '');
  await bench.clock.advance(3_000);
  t.is((await bench.explain(late)).because, "1 of 2 machines at 'east' was started and is not ready yet; 1 is ready.");
  await bench.clock.advance(70_000);
  t.is(
    (await bench.explain(late)).because,
    '1 of 2 machines was delivered before the time-out of 60 s: 1 machine started and was not usable in time (it was not ready before the time-out of its request).',
  );
  const slow = await bench.request(1, { ready_timeout: 60 });
  await bench.clock.advance(2_000);
  for (let i = 0; i < 4; i++) east.scripts.push(short);
  await bench.clock.advance(120_000);
  t.regex((await bench.explain(slow)).because, /^The machine was not delivered: .*not usable in time/);
  await bench.close();
});

test('a request whose waiting a caller ended does not name a time-out that has not passed', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2, { timeout: 3_600 });
  await bench.clock.advance(2_000);
  east.boot(east.live(id)[0] ?? '');
  await bench.clock.advance(18_000);
  await bench.requestCommands.complete(id);
  await bench.clock.advance(3_000);
  const { request } = await bench.status(id);
  t.is(
    (await bench.explain(id)).because,
    '1 of 2 machines was delivered before a caller ended the waiting after 20 s: 1 machine started and was not usable in time (it was not ready before a caller ended the waiting).',
  );
  t.regex(request.message, /A caller ended the waiting after 20 s\./);
  t.notRegex(JSON.stringify(request), /time-out/);
  await bench.close();
});

test('a quarantine and an order that cannot be repeated are explained', async (t) => {
  const east = new ScriptedCloud({ token_valid_ms: 5_000 });
  const bench = await loopBench({ east }, {}, {}, 'off', true);
  bench.leaveAlone('east', 'small', 60_000);
  await bench.restart();
  const paused = await bench.request(1);
  await bench.clock.advance(3_000);
  t.regex((await bench.explain(paused)).because, /^Waiting for 'east': .*'small' hung.*\.$/);
  east.findable = false;
  const lost = await bench.request(1, { template_id: 'other' });
  east.scripts.push(() => 'execute-then-lose');
  for (let i = 0; i < 50; i++) east.scripts.push(() => new ProviderFault('unavailable', 'Away.', { code: 'AWAY' }));
  await bench.clock.advance(20_000);
  const { because, waiting_for, attempts } = await bench.explain(lost);
  t.regex(because, /^It is not known what 'east' started for an order of 1 machine, and the order cannot be repeated/);
  t.is(waiting_for?.until, attempts[0]?.retry_at);
  await bench.close();
});
