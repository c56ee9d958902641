import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const fault = (kind: ConstructorParameters<typeof ProviderFault>[0], code: string, offer?: string) => () =>
  new ProviderFault(kind, `${code} happened.`, { code, ...(offer === undefined ? {} : { offer }) });

test('a throttled order is explained with its next call, and a fallback with its cause', async (t) => {
  const east = new ScriptedCloud();
  const west = new ScriptedCloud();
  for (let i = 0; i < 3; i++) east.scripts.push(fault('throttled', 'RequestLimitExceeded'));
  east.scripts.push(fault('quota', 'VcpuLimitExceeded'));
  const bench = await loopBench({ east, west });
  const id = await bench.request(2);
  await bench.clock.advance(2_000);
  const throttled = await bench.explain(id);
  t.is(
    throttled.because,
    "'east' throttles the account (RequestLimitExceeded), 3 times so far; the same order of 2 machines is sent again.",
  );
  t.is(throttled.waiting_for?.what, "the next call for an order at 'east'");
  const [attempt] = throttled.attempts;
  t.is(throttled.waiting_for?.until, attempt?.retry_at);
  t.deepEqual(
    throttled.order.map(({ provider_instance }) => provider_instance),
    ['east', 'west'],
  );
  await bench.clock.advance(10_000);
  const moved = await bench.explain(id);
  t.is(
    moved.because,
    "2 of 2 machines at 'west' were started and are not ready yet, after the account of 'east' has reached a limit (VcpuLimitExceeded).",
  );
  t.is(moved.waiting_for?.what, "2 machines at 'west' to become ready");
  west.boot();
  await bench.clock.advance(5_000);
  const done = await bench.explain(id);
  t.is(
    done.because,
    "All 2 machines were delivered by 'west', after the account of 'east' has reached a limit (VcpuLimitExceeded).",
  );
  t.is(done.waiting_for, undefined);
  west.kill('m-1');
  await bench.clock.advance(60_000);
  t.regex(
    (await bench.explain(id)).because,
    /; since then 1 was lost \(.+\)\.$|; since then 1 was lost outside muster\.$/,
  );
  await bench.close();
});

test('a request without capacity says when its offers are tried again, and the offers since when they are short', async (t) => {
  const east = new ScriptedCloud({ offers_per_launch: 'one' }, [{ key: 'a' }, { key: 'b' }]);
  for (let i = 0; i < 20; i++) east.scripts.push(fault('capacity', 'ICE', i % 2 === 0 ? 'a' : 'b'));
  const bench = await loopBench({ east });
  const id = await bench.request(1, { retry_until_timeout: true });
  await bench.clock.advance(5_000);
  const { because, waiting_for, order } = await bench.explain(id);
  t.is(because, "'east' had no capacity for any of 2 offers (ICE); the offers are tried again until the time-out.");
  t.is(waiting_for?.what, 'capacity');
  const [a, b] = order[0]?.offers ?? [];
  t.like(a, { key: 'a', state: 'short', tried_again_at: waiting_for?.until });
  t.like(b, { key: 'b', state: 'short' });
  await bench.clock.advance(20_000);
  const later = (await bench.explain(id)).order[0]?.offers[0];
  t.is(later?.short_since, a?.short_since, 'it is short without a break');
  t.true((later?.tried_again_at ?? 0) > (a?.tried_again_at ?? Infinity));
  await bench.close();
});

test('of requests that wait for a slot, each is told who comes first', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east }, {}, { max_concurrent_requests: 1 });
  for (let i = 0; i < 200; i++) east.scripts.push(fault('throttled', 'Slow'));
  const first = await bench.request(1);
  await bench.clock.advance(1_000);
  const second = await bench.request(1);
  await bench.clock.advance(1_000);
  const third = await bench.request(1);
  await bench.clock.advance(15_000);
  t.is(
    (await bench.explain(second)).because,
    "The request waits for a slot at 'east', which may have 1 open request; it gets the next one.",
  );
  t.is(
    (await bench.explain(third)).because,
    `The request waits for a slot at 'east', which may have 1 open request; ${second} comes first.`,
  );
  t.regex((await bench.explain(first)).because, /throttles the account/);
  await bench.close();
});

test('a lost answer and the releases of a cancelled request are explained', async (t) => {
  const east = new ScriptedCloud({ token_valid_ms: 600_000 });
  east.scripts.push(() => 'execute-then-lose');
  for (let i = 0; i < 2; i++) east.scripts.push(fault('unavailable', 'ECONNREFUSED'));
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(200);
  t.regex(
    (await bench.explain(id)).because,
    /^The answer of 'east' was lost \(unknown-outcome\), and what it started/,
  );
  await bench.clock.advance(10_000);
  east.hold = true;
  await bench.requestCommands.cancel(id, 'enough');
  await bench.clock.advance(3_000);
  const { because, waiting_for } = await bench.explain(id);
  t.is(because, 'The request was cancelled, and 2 machines were not released completely yet.');
  t.is(waiting_for?.what, 'the release of 2 machines');
  east.hold = false;
  await bench.clock.advance(10_000);
  t.is((await bench.explain(id)).because, 'The request was cancelled ("enough") before any machine was delivered.');
  await bench.close();
});

test('a return is explained from its store to its end', async (t) => {
  const east = new ScriptedCloud();
  east.shutsDownSlowly = true;
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(3_000);
  const { request } = await bench.requestService.returnMachines(['m-1', 'm-2'], 600);
  t.is(
    (await bench.explain(request.request_id)).because,
    'The return of 2 machines is stored, and waits for the broker that works on their request.',
  );
  await bench.clock.advance(5_000);
  east.kill('m-1');
  await bench.clock.advance(5_000);
  const { because, waiting_for } = await bench.explain(request.request_id);
  t.is(because, '1 of 2 machines is gone; the others are being released.');
  t.is(waiting_for?.what, 'the end of 1 machine');
  east.kill('m-2');
  await bench.clock.advance(10_000);
  t.is((await bench.explain(request.request_id)).because, 'All 2 returned machines are gone.');
  t.regex(
    (await bench.explain(id)).because,
    /^All 2 machines were delivered by 'east'; since then 2 were returned\.$/,
  );
  await bench.close();
});

test('an unknown id is refused, and records of an earlier version are explained without the new fields', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const error = await t.throwsAsync(bench.explain('req-none'));
  t.like(error, { code: 'REQUEST_NOT_FOUND' });
  const id = await bench.request(1);
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(3_000);
  const [attempt] = await bench.store.find('attempt', { where: { request_id: id } });
  if (!attempt) return t.fail();
  const { cloud_request_ids: _ids, ended_at: _ended, ...old } = attempt;
  await bench.store.commit([{ op: 'put', kind: 'attempt', record: old }]);
  const { because, attempts } = await bench.explain(id);
  t.is(because, "The machine was delivered by 'east'.");
  t.deepEqual(attempts, [old]);
  await bench.close();
});
