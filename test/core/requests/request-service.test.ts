import test from 'ava';
import { jsonFingerprint } from '../../../core/model/ids.ts';
import { BrokerError, isBrokerError, type Template, type RequestDetail } from '../../../core/index.ts';
import type { RequestInput } from '../../../core/requests/open-request.ts';
import type { GivenIdentity, RequestService } from '../../../core/requests/request-service.ts';
import { loopBench, type LoopBench } from '../../support/loop-bench.ts';
import { ScriptedCloud } from '../../support/scripted-cloud.ts';
import { noBudgets } from '../../support/no-budgets.ts';

const small: Template = { template_id: 'small' };
const selection = {
  strategy: 'default',
  provider_type: 'scripted',
  provider_instance: 'east',
  selection_reason: '',
  confidence: 1,
  alternatives: [],
  rejected: [],
} as const;
const keyOf = (key: string, body: unknown) => ({ scope: 'POST', key, fingerprint: jsonFingerprint(body) });

/** Accepts a request as the operation does, with a fixed selection. */
async function accept(
  service: RequestService,
  input: RequestInput,
  given: GivenIdentity = {},
): Promise<RequestDetail> {
  const existing = await service.existing(input, given);
  if (existing) return existing;
  await service.admit(input);
  return service.create(input, selection, given);
}
const codeOf = (error: unknown) => (isBrokerError(error) ? error.code : String(error));

test('the same key and body give one request, also for many at once; another body is refused', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  const ask = (count: number) =>
    accept(bench.requestService, { template: small, machine_count: count }, { key: keyOf('k', count) });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(2)));
  t.is(new Set(answers.map(({ request }) => request.request_id)).size, 1);
  t.is(codeOf(await t.throwsAsync(ask(3))), 'CONFLICT');
  t.is((await bench.store.find('request', {})).length, 1);
  await bench.close();
});

test('a repeated call gets the same answer, whatever the present state of the request', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const ask = () => accept(bench.requestService, { template: small, machine_count: 1 }, { key: keyOf('k', 1) });
  const first = (await ask()).request;
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  const again = (await ask()).request;
  t.deepEqual([again.request_id, again.status, again.message], [first.request_id, first.status, first.message]);
  const giveBack = () => bench.requestService.returnMachines(['m-1'], 60, { key: keyOf('r', 1) });
  const returned = (await giveBack()).request;
  await bench.clock.advance(5_000);
  const once = (await giveBack()).request;
  t.deepEqual([once.request_id, once.status, once.message], [returned.request_id, returned.status, returned.message]);
  await bench.close();
});

test('the same request id twice gives one request; with other input it is refused', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  const ask = (machine_count: number) =>
    accept(bench.requestService, { template: small, machine_count }, { request_id: 'req-mine' });
  const [one, two] = await Promise.all([ask(2), ask(2)]);
  t.is(one.request.request_id, two.request.request_id);
  t.is(codeOf(await t.throwsAsync(ask(5))), 'ALREADY_EXISTS');
  await bench.close();
});

test('max_instances holds for one request, over requests, and under concurrency', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  const template = { ...small, max_instances: 10 };
  const ask = (machine_count: number) =>
    accept(bench.requestService, { template, machine_count }).then(() => 'taken', codeOf);
  t.is(await ask(11), 'INSTANCE_LIMIT_EXCEEDED');
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(3)));
  t.deepEqual([answers.filter((each) => each === 'taken').length, new Set(answers).size], [3, 2]);
  await bench.close();
});

test('machines count against max_instances until their release was accepted', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const ask = () => bench.request(2, { max_instances: 2 });
  await ask();
  await bench.clock.advance(1_000);
  t.is(codeOf(await t.throwsAsync(ask())), 'INSTANCE_LIMIT_EXCEEDED');
  await bench.requestService.returnMachines(['m-1', 'm-2'], 60);
  await bench.clock.advance(3_000);
  await t.notThrowsAsync(ask());
  await bench.close();
});

test('no limit, limit 0 and more than any request may have', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  const ask = (max_instances: number, machine_count: number) =>
    accept(bench.requestService, { template: { ...small, max_instances }, machine_count }).then(() => 'taken', codeOf);
  t.is(await ask(-1, 9_000), 'taken');
  t.is(await ask(0, 1), 'INSTANCE_LIMIT_EXCEEDED');
  t.is(await ask(-1, 10_001), 'INSTANCE_LIMIT_EXCEEDED');
  await bench.close();
});

test('a return names every unknown machine and then returns nothing', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  await bench.request(2);
  await bench.clock.advance(1_000);
  const error = await t.throwsAsync(bench.requestService.returnMachines(['m-1', 'm-8', 'm-9'], 60));
  t.is(codeOf(error), 'MACHINE_NOT_FOUND');
  t.regex(error?.message ?? '', /'m-8', 'm-9'; nothing is returned/);
  t.is((await bench.store.find('signal', {})).length, 0);
  await bench.close();
});

test('an ended request and a return cannot be cancelled; cancelling twice is harmless', async (t) => {
  const east = new ScriptedCloud();
  const bench = await loopBench({ east });
  const id = await bench.request(1);
  await bench.clock.advance(1_000);
  east.boot();
  await bench.clock.advance(3_000);
  t.is(codeOf(await t.throwsAsync(bench.requestCommands.cancel(id, undefined))), 'CONFLICT');
  const returned = await bench.requestService.returnMachines(['m-1'], 60);
  t.is(codeOf(await t.throwsAsync(bench.requestCommands.cancel(returned.request.request_id, undefined))), 'CONFLICT');
  t.is(codeOf(await t.throwsAsync(bench.requestCommands.cancel('req-nobody', undefined))), 'REQUEST_NOT_FOUND');
  const other = await bench.request(1);
  await bench.requestCommands.cancel(other, 'a');
  await bench.requestCommands.cancel(other, 'b');
  await bench.clock.advance(5_000);
  await bench.requestCommands.cancel(other, 'c');
  t.is((await bench.status(other)).request.status, 'cancelled');
  await bench.close();
});

test('more pending requests than the limit are refused with UNAVAILABLE', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  await bench.close();
  const { RequestService } = await import('../../../core/requests/request-service.ts');
  const { memoryDriver } = await import('../../support/memory-driver.ts');
  const { silentLog } = await import('../../../core/index.ts');
  const store = await memoryDriver().open({}, { clock: bench.clock, log: silentLog });
  const requestService = new RequestService(store, bench.clock, noBudgets, 2);
  const ask = () => accept(requestService, { template: small, machine_count: 1 });
  await ask();
  await ask();
  t.is(codeOf(await t.throwsAsync(ask())), 'UNAVAILABLE');
  await store.close();
});

/** A storage whose commits have an unknown outcome: written or not. */
function doubtful(bench: LoopBench, kept: boolean): void {
  const commit = bench.store.commit.bind(bench.store);
  bench.store.commit = async (changes) => {
    bench.store.commit = commit;
    if (kept) await commit(changes);
    throw new BrokerError('UNAVAILABLE', 'The disk failed.', { outcome: 'unknown' });
  };
}

test('after a commit with an unknown outcome the request is read by its id, and answered when it exists', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  doubtful(bench, true);
  const { request } = await accept(bench.requestService, { template: small, machine_count: 2 });
  t.truthy(await bench.store.get('request', { request_id: request.request_id }));
  await bench.clock.advance(1_000);
  doubtful(bench, true);
  const returned = await bench.requestService.returnMachines(['m-1'], 60);
  t.is((await bench.status(returned.request.request_id)).request.kind, 'return');
  t.is((await bench.store.find('request', {})).length, 2);
  await bench.close();
});

test('a request that is not found is refused within seconds, with the id for a repeated call', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  const refusal = async (call: () => Promise<unknown>): Promise<BrokerError> => {
    doubtful(bench, false);
    const [refused] = await Promise.all([t.throwsAsync<BrokerError>(call()), bench.clock.advance(5_000)]);
    t.like(refused, { code: 'UNAVAILABLE', details: { outcome: 'unknown' } });
    t.regex(refused?.message ?? '', /^It is not known whether '(req|ret)-[^']+' was stored: .*The disk failed\.$/);
    return refused as BrokerError;
  };
  const ask = (given = {}) => accept(bench.requestService, { template: small, machine_count: 2 }, given);
  const { details } = await refusal(ask);
  const request_id = String(details['request_id']);
  t.is(await bench.store.count('request', {}), 0);
  const again = await Promise.all([ask({ request_id }), ask({ request_id })]);
  t.deepEqual(
    again.map(({ request }) => request.request_id),
    [request_id, request_id],
  );
  await bench.clock.advance(1_000);
  const back = await refusal(() => bench.requestService.returnMachines(['m-1'], 60));
  t.regex(String(back.details['request_id']), /^ret-/);
  t.is(await bench.store.count('request', {}), 1);
  await bench.close();
});

test('after a refusal, or when nothing was written, the request is not read', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  let reads = 0;
  const get = bench.store.get.bind(bench.store);
  bench.store.get = (kind, key) => {
    reads += 1;
    return get(kind, key);
  };
  const commit = bench.store.commit.bind(bench.store);
  bench.store.commit = () => Promise.reject(new BrokerError('UNAVAILABLE', 'The disk is full.'));
  t.is(
    codeOf(await t.throwsAsync(accept(bench.requestService, { template: small, machine_count: 2 }))),
    'UNAVAILABLE',
  );
  t.is(reads, 0);
  bench.store.commit = commit;
  await bench.close();
});

test('a return of few machines reads only these machines, not all machines of their requests', async (t) => {
  const bench = await loopBench({ east: new ScriptedCloud() });
  await bench.request(200);
  await bench.clock.advance(1_000);
  const { request } = await bench.requestService.returnMachines(['m-7', 'm-3'], 60);
  let read = 0;
  const find = bench.store.find.bind(bench.store);
  bench.store.find = async (kind, query) => {
    const found = await find(kind, query);
    if (kind === 'machine') read += found.length;
    return found;
  };
  const { machines } = await bench.status(request.request_id);
  t.deepEqual(
    machines.map((machine) => machine.machine_id),
    ['m-3', 'm-7'],
  );
  t.is(read, 2);
  bench.store.find = find;
  await bench.close();
});
