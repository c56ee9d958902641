import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud, type Script } from '../../../support/scripted-cloud.ts';

/** Every launch ends with this fault until the script is removed. */
const again = (make: () => ProviderFault): Script => {
  const script: Script = (_order, cloud) => {
    cloud.scripts.unshift(script);
    return make();
  };
  return script;
};

test('an order that was never executed goes to another instance after a restart without a connection to its instance', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  east.scripts.push(again(() => new ProviderFault('throttled', 'Later.')));
  const bench = await loopBench({ east, west });
  const id = await bench.request(1, { timeout: 600 });
  await bench.clock.advance(5_000);
  // Not enumerable: only `connect` reads it.
  const config = Object.defineProperty({}, 'cloud', {
    get() {
      throw new ProviderFault('unavailable', 'Connection refused.');
    },
  });
  bench.configure('east', { config });
  await bench.restart();
  await bench.clock.advance(200_000);
  const then = west.live(id).length;
  t.is(then, 1, 'west serves');
  await bench.close();
});

test('a cancelled request whose only order was never sent ends although its instance was removed from the configuration', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  east.scripts.push(again(() => new ProviderFault('throttled', 'Later.')));
  const bench = await loopBench({ east, west });
  const id = await bench.request(1, { timeout: 3_600 });
  await bench.clock.advance(5_000);
  bench.configure('east', { name: 'gone' });
  await bench.restart();
  await bench.requestCommands.cancel(id, 'x');
  await bench.clock.advance(300_000);
  const { request } = await bench.status(id);
  t.is(request.status, 'cancelled');
  await bench.close();
});

test('an order that was never executed is not sent to an instance that was disabled meanwhile', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  for (let i = 0; i < 3; i++)
    east.scripts.push(() => new ProviderFault('throttled', 'Later.', { retry_after_ms: 60_000 }));
  const bench = await loopBench({ east, west });
  await bench.request(1);
  await bench.clock.advance(5_000);
  const before = east.orders.length;
  bench.configure('east', { enabled: false });
  await bench.restart();
  await bench.clock.advance(400_000);
  t.is(east.orders.length, before, 'no launch is sent to a disabled instance');
  await bench.close();
});

test('an order that was never executed ends when its instance speaks to another cloud', async (t) => {
  const [east, west, other] = [new ScriptedCloud(), new ScriptedCloud(), new ScriptedCloud()];
  other.identity = 'somebody else';
  east.scripts.push(again(() => new ProviderFault('throttled', 'Later.')));
  const bench = await loopBench({ east, west });
  const id = await bench.request(1, { timeout: 600 });
  await bench.clock.advance(5_000);
  bench.configure('east', { config: { cloud: other } });
  await bench.restart();
  await bench.clock.advance(60_000);
  t.deepEqual([other.live(id).length, west.live(id).length], [0, 1]);
  await bench.close();
});

test('a request with an order in doubt reports that it waits for an instance that is no longer configured', async (t) => {
  const [east, west] = [new ScriptedCloud(), new ScriptedCloud()];
  east.scripts.push(() => 'execute-then-lose');
  east.scripts.push(again(() => new ProviderFault('unknown-outcome', 'Lost.')));
  const bench = await loopBench({ east, west });
  const id = await bench.request(1, { timeout: 600 });
  await bench.clock.advance(5_000);
  bench.configure('east', { name: 'gone' });
  await bench.restart();
  await bench.clock.advance(60_000);
  t.regex((await bench.status(id)).request.message, /'east' is not configured/);
  bench.configure('gone', { name: 'east' });
  await bench.restart();
  east.scripts.length = 0;
  await bench.clock.advance(60_000);
  east.boot();
  await bench.clock.advance(5_000);
  t.is((await bench.status(id)).request.status, 'completed');
  t.deepEqual([east.live(id).length, west.live(id).length], [1, 0]);
  await bench.close();
});

test('a request that changed from a full instance to one without a limit delays no other request', async (t) => {
  const offers = [{ key: 'a', zone: undefined } as never];
  const [east, west] = [new ScriptedCloud({}, offers), new ScriptedCloud({}, offers)];
  const bench = await loopBench({ east, west }, { pending_timeout_ms: 36_000_000 });
  bench.configure('east', { limits: { max_instances_per_request: 10_000, max_concurrent_requests: 1 } });
  await bench.restart();
  let n = 0;
  const script: Script = (_order, cloud) => {
    if (++n < 4) {
      cloud.scripts.unshift(script);
      return new ProviderFault('throttled', 'Later.', { retry_after_ms: 3_000 });
    }
    return new ProviderFault('capacity', 'None.', { offer: 'a' } as never);
  };
  east.scripts.push(script);
  await bench.request(1, { timeout: 7_200 });
  await bench.clock.advance(1_000);
  const b = await bench.request(1, { timeout: 7_200 });
  await bench.clock.advance(60_000);
  t.is(west.live(b).length, 1, 'b turned to west; its machine boots for long');
  await bench.clock.advance(200_000);
  const d = await bench.request(1, { timeout: 3_600 });
  await bench.clock.advance(600_000);
  t.is(east.live(d).length + west.live(d).length, 1, 'east is free: d is served');
  await bench.close();
});

test('a request after its time-out with an order in doubt causes no busy loop', async (t) => {
  const east = new ScriptedCloud();
  east.scripts.push(again(() => new ProviderFault('unknown-outcome', 'Lost.')));
  const bench = await loopBench({ east });
  await bench.request(1, { timeout: 60 });
  await bench.clock.advance(50_000);
  let sleeps = 0;
  const sleep = bench.clock.sleep.bind(bench.clock);
  bench.clock.sleep = (ms, signal) => {
    sleeps += 1;
    return sleep(ms, signal);
  };
  await bench.clock.advance(8_000);
  sleeps = 0;
  await bench.clock.advance(4_000);
  sleeps = 0;
  await bench.clock.advance(8_000);
  t.true(sleeps < 200);
  await bench.close();
});

test('an undone all-or-nothing request is not completed', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2, { partial: 'all_or_nothing' } as never);
  await bench.clock.advance(1_000);
  east.boot('m-1');
  await bench.clock.advance(3_000);
  east.scripts.push(again(() => new ProviderFault('quota', 'No more.')));
  east.kill('m-1');
  east.boot('m-2');
  await bench.clock.advance(60_000);
  const { request } = await bench.status(id);
  t.is(east.live(id).length, 0);
  t.is(request.status, 'failed');
  await bench.close();
});
