import test from 'ava';
import { ProviderFault } from '../../../../core/index.ts';
import { loopBench, type LoopBench } from '../../../support/loop-bench.ts';
import { ScriptedCloud } from '../../../support/scripted-cloud.ts';

const attemptsOf = ({ store }: LoopBench, request_id: string) => store.find('attempt', { where: { request_id } });

test('an order keeps the answers that were no success, the ids of its calls, and when it ended', async (t) => {
  const east = new ScriptedCloud();
  const slow = () => new ProviderFault('throttled', 'Slow down.', { code: 'RequestLimitExceeded' });
  east.scripts.push(slow, slow);
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(10_000);
  const [attempt] = await attemptsOf(bench, id);
  t.like(attempt?.outcomes, [{ kind: 'throttled', code: 'RequestLimitExceeded', message: 'Slow down.', count: 2 }]);
  t.deepEqual(attempt?.cloud_request_ids, ['scripted-1', 'scripted-2', 'scripted-3']);
  t.true((attempt?.ended_at ?? 0) > (attempt?.outcomes?.[0]?.at ?? Infinity));
  t.is(attempt?.choice, undefined, 'the request says why');
  await bench.close();
});

test('a fallback says why it goes to its instance, and what is known about the others', async (t) => {
  const east = new ScriptedCloud();
  const west = new ScriptedCloud();
  const lab = new ScriptedCloud();
  east.scripts.push(() => new ProviderFault('quota', 'No more.', { code: 'VcpuLimitExceeded' }));
  const bench = await loopBench({ east, west, lab });
  bench.configure('lab', { enabled: false });
  await bench.restart();
  const id = await bench.request(2);
  await bench.clock.advance(5_000);
  const [first, second] = await attemptsOf(bench, id);
  t.is(first?.choice, undefined);
  t.deepEqual(second?.choice, {
    reason: "'east' answered VcpuLimitExceeded",
    candidates: [
      { provider_instance: 'east', eligible: false, reasons: ['it answered VcpuLimitExceeded'] },
      { provider_instance: 'lab', eligible: false, reasons: ['it is disabled'] },
    ],
  });
  const { request } = await bench.status(id);
  t.deepEqual(request.rejected, [{ name: 'lab', reason: 'it is disabled' }]);
  await bench.close();
});

test('hundreds of orders for one reason say it once', async (t) => {
  const east = new ScriptedCloud({}, [{ key: 'a' }]);
  for (let i = 0; i < 50; i++)
    east.scripts.push(() => new ProviderFault('capacity', 'No a.', { code: 'ICE', offer: 'a' }));
  const bench = await loopBench({ east });
  const id = await bench.request(2, { retry_until_timeout: true });
  for (let i = 0; i < 12; i++) await bench.clock.advance(10_000);
  const attempts = await attemptsOf(bench, id);
  t.true(attempts.length > 4);
  t.is(attempts.filter(({ choice }) => choice !== undefined).length, 1);
  await bench.close();
});

test('observations that show nothing new are not stored, and a release adds the ids of its calls', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(2_000);
  east.boot();
  await bench.clock.advance(5_000);
  const before = await bench.store.changes('attempt');
  await bench.clock.advance(120_000);
  t.is(await bench.store.changes('attempt'), before);
  await bench.requestService.returnMachines(['m-1'], 600);
  await bench.clock.advance(5_000);
  const [attempt] = await attemptsOf(bench, id);
  t.regex(attempt?.cloud_request_ids?.at(-1) ?? '', /^released-/);
  await bench.close();
});

test('an observation that the provider refuses is recorded once, and again after the next report', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(2);
  await bench.clock.advance(3_000);
  const recorded = async () => (await bench.explain(id)).attempts[0]?.outcomes ?? [];
  east.deaf = new ProviderFault('throttled', 'Slow down.', { code: 'Throttling' });
  await bench.clock.advance(5_000);
  t.deepEqual(await recorded(), []);
  east.deaf = new ProviderFault('invalid', 'You are not authorized.', {
    code: 'UnauthorizedOperation',
    lack: 'denied',
  });
  await bench.clock.advance(5_000);
  const { version } = (await bench.status(id)).request;
  await bench.clock.advance(60_000);
  t.is((await bench.status(id)).request.version, version, 'repetitions store nothing');
  t.like(await recorded(), [{ code: 'UnauthorizedOperation', kind: 'invalid' }]);
  t.is((await recorded())[0]?.count, undefined);
  t.is(
    (await bench.explain(id)).because,
    "2 of 2 machines at 'east' were started and are not ready yet; 'east' refused a call about them (UnauthorizedOperation).",
  );
  const denied = east.deaf;
  east.deaf = undefined;
  east.boot(east.live(id)[0] ?? '');
  await bench.clock.advance(5_000);
  t.notRegex((await bench.explain(id)).because, /refused/);
  east.deaf = denied;
  await bench.clock.advance(10_000);
  t.is((await recorded())[0]?.count, 2);
  t.regex((await bench.explain(id)).because, /refused a call about them/);
  await bench.close();
});
