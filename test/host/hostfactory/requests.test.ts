import test from 'ava';
import { ask, boot, ended, hostsOf, request, statusOf } from './in-process.ts';

const refused: readonly (readonly [what: string, input: unknown, message: RegExp])[] = [
  [
    'machines in the body',
    { machines: [], template: { templateId: 'one', machineCount: 1 } },
    /^Input parameter machines is not supported\.$/,
  ],
  ['no template', {}, /^Invalid template\.$/],
  ['a template without an id', { template: { machineCount: 1 } }, /^Invalid template\.$/],
  [
    'an unknown template',
    { template: { templateId: 'on', machineCount: 1 } },
    /^The template does not exist\. .*Did you mean 'one'\?$/,
  ],
  ['no count', { template: { templateId: 'one', machineCount: null } }, /^Invalid instances number\.$/],
  ['a count below one', { template: { templateId: 'one', machineCount: 0 } }, /^Invalid instances number\.$/],
  [
    'a count that is no number',
    { template: { templateId: 'one', machineCount: 'many' } },
    /^Invalid instances number\.$/,
  ],
  [
    'more than the template allows',
    { template: { templateId: 'one', machineCount: 21 } },
    /^21 machines are more than the 20/,
  ],
  ['a list', [], /^Invalid input file\.$/],
];
for (const [what, input, message] of refused) {
  test(`requestMachines is refused with one message: ${what}`, async (t) => {
    const broker = await boot(t, { loop: 'none' });
    const { code, answer } = await ask(broker, 'requestMachines', input);
    t.is(code, 1);
    t.deepEqual(Object.keys(answer), ['message']);
    t.regex(answer.message, message);
  });
}

for (const script of ['requestReturnMachines', 'getRequestStatus'] as const) {
  test(`${script} with nothing to ask about is refused`, async (t) => {
    const broker = await boot(t, { loop: 'none' });
    const key = script === 'getRequestStatus' ? 'requests' : 'machines';
    for (const input of [{}, { [key]: [] }, { [key]: {} }, { [key]: 'i-1' }, { [key]: [{}] }, [], null])
      t.deepEqual(
        await ask(broker, script, input),
        { code: 1, answer: { message: 'Invalid input file.' } },
        JSON.stringify(input),
      );
  });
}

test('an unknown request is answered among the others, and never runs for ever', async (t) => {
  const broker = await boot(t);
  const known = await request(broker, 1);
  const { code, answer } = await ask(broker, 'getRequestStatus', {
    requests: [{ requestId: 'req-none' }, { requestId: known }],
  });
  t.is(code, 0);
  t.like(answer.requests[0], { requestId: 'req-none', status: 'complete_with_error', machines: [] });
  t.like(answer.requests[1], { requestId: known, status: 'running' });
});

test('one object may replace a list, and answers are always lists', async (t) => {
  const broker = await boot(t);
  const requestId = await request(broker, 1);
  const { answer } = await ask(broker, 'getRequestStatus', { requests: { requestId } });
  t.true(Array.isArray(answer.requests));
  const [host] = hostsOf(await ended(broker, requestId));
  t.is((await ask(broker, 'getReturnRequests', { machines: host })).code, 0);
  t.regex((await ask(broker, 'requestReturnMachines', { machines: host })).answer.requestId, /^ret-/);
});

test('a status that is not final is never kept: the next answer is new', async (t) => {
  const broker = await boot(t, { knobs: { boot_ms: 400 } });
  const requestId = await request(broker, 2);
  const seen = new Set<string>();
  await broker.until(async () => {
    const { status, machines } = await statusOf(broker, requestId);
    for (const { result } of machines) seen.add(`${status} ${result}`);
    return status === 'complete';
  });
  t.true(seen.has('running executing'), [...seen].join());
  t.true(seen.has('complete succeed'));
  t.false([...seen].some((each) => each.startsWith('complete ') && each.endsWith('executing')));
});

test('a request is not ended while a machine may still come, and the good machines stay listed', async (t) => {
  const broker = await boot(t, {
    knobs: { capacity: [{ instance_type: 't3.small', zone: '*', market: '*', count: 2 }], boot_ms: 300 } as any,
  });
  const requestId = await request(broker, 3);
  const last = await ended(broker, requestId);
  t.is(last.status, 'complete_with_error');
  t.deepEqual(
    last.machines.map(({ result }: any) => result),
    ['succeed', 'succeed'],
  );
});

test('weights are capacity, the count is machines: four are four', async (t) => {
  const broker = await boot(t);
  const last = await ended(broker, await request(broker, 4, 'weighted'));
  t.is(last.status, 'complete');
  t.is(last.machines.length, 4);
  for (const { instanceType, priceType } of last.machines) {
    t.regex(instanceType, /^t3\.(small|medium)$/, 'its own type, not that of the template');
    t.is(priceType, 'ondemand');
  }
});

test('while the cloud does not answer, a status keeps what was known', async (t) => {
  const broker = await boot(t, { knobs: { boot_ms: 60_000 } });
  const requestId = await request(broker, 2);
  await broker.until(async () => (await statusOf(broker, requestId)).machines.length === 2);
  broker.simulator.setKnobs({
    faults: [
      { action: 'DescribeInstances', times: 1000, effect: 'skip', then: 'error', code: 'InternalError', status: 500 },
    ],
  } as any);
  for (let looks = 0; looks < 5; looks++) {
    const { status, machines } = await statusOf(broker, requestId);
    t.deepEqual([status, machines.length], ['running', 2]);
    await new Promise((resolve) => void setTimeout(resolve, 60));
  }
});

test('the same call again, under the same key, asks for nothing twice', async (t) => {
  const broker = await boot(t, { loop: 'none' });
  const body = { input: { template: { templateId: 'one', machineCount: 2 } } };
  const call = async () =>
    (await broker.call('POST', '/hostfactory/requestMachines', body, { 'idempotency-key': 'script-1' })).body;
  t.deepEqual(await call(), await call());
  t.is((await broker.broker.store.find('request', {})).length, 1);
});

test('every instance unhealthy: refused with the cause, which ends in the code of the cloud', async (t) => {
  const broker = await boot(t, { loop: 'none' });
  const { facts } = broker.broker;
  const message = 'DescribeInstances: AWS was not able to validate the credentials. Error Code: AuthFailure';
  await facts.learnHealth('east', { status: 'unhealthy', message });
  const input = { template: { templateId: 'one', machineCount: 1 } };
  const { code, answer } = await ask(broker, 'requestMachines', input);
  t.is(code, 1);
  t.regex(answer.message, /unhealthy.*AWS was not able to validate the credentials\. Error Code: AuthFailure$/);
  t.deepEqual(Object.keys(answer), ['message']);
  t.like((await ask(broker, 'requestMachines', input, { dialect: 'lsf' })).answer, { status: 'error' });
});
