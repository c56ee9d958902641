// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import test from 'ava';
import type { FaultRule } from '../../../plugins/cloud-simulator/knobs/wire-knobs.ts';
import { codeOf, launch, openCloud } from './support.ts';

interface Failure {
  name?: string;
  code?: string;
  message: string;
  $metadata?: { httpStatusCode?: number };
}

async function failureOf(call: Promise<unknown>): Promise<Failure> {
  return call.then(
    () => ({ message: 'none' }),
    (error: Failure) => error,
  );
}

for (const effect of ['execute', 'skip'] as const) {
  test(`${effect}, then drop: the caller sees ECONNRESET and the machines ${effect === 'execute' ? 'exist' : 'do not exist'}`, async (t) => {
    const { ec2, simulator } = await openCloud(t, { knobs: { faults: [{ action: 'RunInstances', effect, then: 'drop' }] } });
    const failure = await failureOf(ec2.send(launch({ MaxCount: 2, ClientToken: 'one' })));
    t.is(failure.code, 'ECONNRESET');
    t.is(simulator.ledger().untagged.length, effect === 'execute' ? 2 : 0);
    t.like(simulator.audit()[0], {
      action: 'RunInstances',
      token: 'one',
      executed: effect === 'execute',
      answered: false,
      fault: `${effect}/drop`,
    });
    // The replay shows what the lost answer hid.
    t.is((await ec2.send(launch({ MaxCount: 2, ClientToken: 'one' }))).Instances?.length, 2);
    t.deepEqual(simulator.ledger().launches, { one: 2 });
    t.like(simulator.audit(1)[0], { answered: true, executed: true, code: null });
  });
}

const kinds: readonly [rule: Omit<FaultRule, 'action' | 'effect'>, check: (failure: Failure) => boolean][] = [
  [{ then: 'cut' }, (failure) => failure.code === 'ECONNRESET' || /aborted/.test(failure.message)],
  [{ then: 'error' }, (failure) => failure.name === 'InternalError' && failure.$metadata?.httpStatusCode === 500],
  [
    { then: 'error', code: 'ServiceUnavailable' },
    (failure) => failure.name === 'ServiceUnavailable' && failure.$metadata?.httpStatusCode === 503,
  ],
  [{ then: 'error', code: 'Weird', status: 418 }, (failure) => failure.name === 'Weird' && failure.$metadata?.httpStatusCode === 418],
  [{ then: 'html' }, (failure) => failure.$metadata?.httpStatusCode === 502],
  [{ then: 'bad-xml' }, (failure) => failure.$metadata?.httpStatusCode === 200],
];
for (const [rule, check] of kinds) {
  test(`execute, then ${Object.values(rule).join(' ')}: the machine exists although the call failed`, async (t) => {
    const { ec2, simulator } = await openCloud(t, { knobs: { faults: [{ action: 'RunInstances', effect: 'execute', ...rule }] } });
    const failure = await failureOf(ec2.send(launch()));
    t.true(check(failure), `${failure.name} ${failure.code} ${failure.message} ${JSON.stringify(failure.$metadata)}`);
    t.is(simulator.ledger().untagged.length, 1);
    t.true(simulator.audit()[0]?.executed);
  });
}

test('hang never answers; the caller gives up by itself', async (t) => {
  const { simulator, ec2 } = await openCloud(t, { knobs: { faults: [{ action: 'RunInstances', effect: 'execute', then: 'hang' }] } });
  const failure = await failureOf(ec2.send(launch(), { abortSignal: AbortSignal.timeout(100) }));
  t.is(failure.name, 'AbortError');
  t.like(simulator.audit()[0], { executed: true, answered: false });
});

test('nth and times choose the calls that are hit, and setting the knob again counts anew', async (t) => {
  const rule: FaultRule = { action: 'RunInstances', nth: 2, times: 2, effect: 'skip', then: 'error' };
  const { ec2, simulator } = await openCloud(t, { knobs: { faults: [rule] } });
  const outcomes = async (calls: number) => {
    const seen: boolean[] = [];
    for (let call = 0; call < calls; call++) seen.push((await failureOf(ec2.send(launch()))).message === 'none');
    return seen;
  };
  t.deepEqual(await outcomes(4), [true, false, false, true]);
  simulator.setKnobs({ faults: [rule] });
  t.deepEqual(await outcomes(2), [true, false]);
  simulator.setKnobs({ faults: [{ action: '*', times: null, effect: 'skip', then: 'error', code: 'ExpiredToken' }] });
  t.is(await codeOf(ec2.send(new DescribeInstancesCommand({}))), 'ExpiredToken');
  t.is(await codeOf(ec2.send(launch())), 'ExpiredToken');
});

test('the next calls of an action are throttled, and never executed', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { throttle: { next: [{ action: 'RunInstances', times: 2 }] } } });
  for (let call = 0; call < 2; call++) t.is(await codeOf(ec2.send(launch())), 'RequestLimitExceeded');
  t.is((await ec2.send(launch())).Instances?.length, 1);
  t.deepEqual(
    simulator.audit().map((entry) => [entry.executed, entry.code]),
    [
      [false, 'RequestLimitExceeded'],
      [false, 'RequestLimitExceeded'],
      [true, null],
    ],
  );
});

test('the default buckets let 5 RunInstances through and then 2 a second', async (t) => {
  const { ec2, simulator, client } = await openCloud(t, { knobs: { throttle: { default_buckets: true } } });
  const burst = async (calls: number) => {
    const results = await Promise.allSettled(Array.from({ length: calls }, () => ec2.send(launch())));
    return results.filter((result) => result.status === 'fulfilled').length;
  };
  t.is(await burst(8), 5);
  simulator.advance(1000);
  t.is(await burst(4), 2);
  t.is((await client({ key: 'AKIATEST0002' }).send(launch())).Instances?.length, 1);
});

test('the default buckets count machines too: 1000, then 2 a second', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { throttle: { default_buckets: true } } });
  await ec2.send(launch({ MinCount: 1000, MaxCount: 1000 }));
  t.is(await codeOf(ec2.send(launch())), 'RequestLimitExceeded');
  simulator.advance(1000);
  t.is((await ec2.send(launch({ MaxCount: 2 }))).Instances?.length, 2);
});

test('the SDK with its default retries sends a launch without capacity three times', async (t) => {
  const { simulator } = await openCloud(t, { knobs: { capacity: [{ count: 0 }] } });
  const eager = new EC2Client({
    endpoint: simulator.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIATEST0001', secretAccessKey: 'x' },
  });
  t.teardown(() => eager.destroy());
  t.is(await codeOf(eager.send(launch())), 'InsufficientInstanceCapacity');
  t.is(simulator.audit().length, 3);
});

test('latency delays the answer of its action, and a caller that has gone is not answered', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { latency_ms: { RunInstances: 150 } } });
  const began = performance.now();
  await ec2.send(launch());
  t.true(performance.now() - began >= 140);
  await failureOf(ec2.send(launch(), { abortSignal: AbortSignal.timeout(20) }));
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.deepEqual(
    simulator.audit().map((entry) => [entry.executed, entry.answered]),
    [
      [true, true],
      [true, false],
    ],
  );
});
