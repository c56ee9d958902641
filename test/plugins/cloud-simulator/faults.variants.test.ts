// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import { DescribeInstancesCommand, type EC2Client } from '@aws-sdk/client-ec2';
import test from 'ava';
import type { FaultRule } from '../../../plugins/cloud-simulator/knobs/wire-knobs.ts';
import { type Failure, failureOf, seen } from './failure.ts';
import { codeOf, launch, openCloud } from './support.ts';
import { tries } from '../../support/variants.ts';

for (const effect of ['execute', 'skip'] as const) {
  test(`${effect}, then drop: the caller sees ECONNRESET and the machines ${effect === 'execute' ? 'exist' : 'do not exist'}`, async (t) => {
    const { ec2, simulator } = await openCloud(t, {
      knobs: { faults: [{ action: 'RunInstances', effect, then: 'drop' }] },
    });
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
  [
    { then: 'error', code: 'Weird', status: 418 },
    (failure) => failure.name === 'Weird' && failure.$metadata?.httpStatusCode === 418,
  ],
  [{ then: 'html' }, (failure) => failure.$metadata?.httpStatusCode === 502],
  [{ then: 'bad-xml' }, (failure) => failure.$metadata?.httpStatusCode === 200],
];
for (const [rule, check] of kinds) {
  test(`execute, then ${Object.values(rule).join(' ')}: the machine exists although the call failed`, async (t) => {
    const { ec2, simulator } = await openCloud(t, {
      knobs: { faults: [{ action: 'RunInstances', effect: 'execute', ...rule }] },
    });
    const failure = await failureOf(ec2.send(launch()));
    t.true(check(failure), `${failure.name} ${failure.code} ${failure.message} ${JSON.stringify(failure.$metadata)}`);
    t.is(simulator.ledger().untagged.length, 1);
    t.true(simulator.audit()[0]?.executed);
  });
}

test('hang never answers; the caller gives up by itself', async (t) => {
  const { simulator, ec2 } = await openCloud(t, {
    knobs: { faults: [{ action: 'RunInstances', effect: 'execute', then: 'hang' }] },
  });
  const caller = new AbortController();
  const answer = failureOf(ec2.send(launch(), { abortSignal: caller.signal }));
  await seen(simulator);
  caller.abort();
  t.is((await answer).name, 'AbortError');
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

test('a rule with a share hits by chance, the same calls for the same seed', async (t) => {
  const calls = tries(300, 1_000);
  const hits = async (seed: number) => {
    const { simulator } = await openCloud(t, {
      seed,
      knobs: { faults: [{ action: '*', share: 0.2, effect: 'skip', then: 'error' }] },
    });
    const call = async () => {
      const response = await fetch(simulator.url, {
        method: 'POST',
        body: 'Action=DescribeRegions&Version=2016-11-15',
        headers: signed,
      });
      await response.text();
      return response.status;
    };
    const statuses: number[] = [];
    for (let round = 0; round < calls; round++) statuses.push(await call());
    return statuses.map((status) => (status === 200 ? '.' : 'x')).join('');
  };
  const [first, again, other] = await Promise.all([hits(7), hits(7), hits(8)]);
  t.is(first, again);
  t.not(first, other);
  // Almost five times the deviation that chance has.
  const most = 4.75 * Math.sqrt(0.2 * 0.8 * calls);
  for (const pattern of [first, other]) t.true(Math.abs(pattern.split('x').length - 1 - 0.2 * calls) < most, pattern);
});

test('a share applies to the calls that nth and times select', async (t) => {
  const { ec2, simulator } = await openCloud(t, {
    knobs: { faults: [{ action: '*', nth: 2, times: 3, share: 1, effect: 'skip', then: 'error' }] },
  });
  const pass = async () => (await failureOf(ec2.send(new DescribeInstancesCommand({})))).message === 'none';
  t.deepEqual(
    [await pass(), await pass(), await pass(), await pass(), await pass()],
    [true, false, false, false, true],
  );
  simulator.setKnobs({ faults: [{ action: '*', share: 0, effect: 'skip', then: 'error' }] });
  t.deepEqual([await pass(), await pass()], [true, true]);
});

test('a rule is in force in its account, region and time only, and counts only the calls there', async (t) => {
  const here = { account: 'AKIATEST0002', region: 'eu-west-1', from_ms: 1000, until_ms: 3000 };
  const { ec2, simulator, client } = await openCloud(t, {
    knobs: { faults: [{ action: '*', nth: 2, times: null, effect: 'skip', then: 'error', ...here }] },
  });
  const there = client({ key: 'AKIATEST0002', region: 'eu-west-1' });
  const elsewhere = [ec2, client({ key: 'AKIATEST0002' }), client({ region: 'eu-west-1' })];
  const pass = async (from: EC2Client) =>
    (await failureOf(from.send(new DescribeInstancesCommand({})))).message === 'none';
  t.deepEqual([await pass(there), await pass(there)], [true, true]);
  simulator.advance(1000);
  for (const from of elsewhere) t.deepEqual([await pass(from), await pass(from)], [true, true]);
  t.deepEqual([await pass(there), await pass(there), await pass(there)], [true, false, false]);
  simulator.advance(2000);
  t.true(await pass(there));
});

const signed = {
  'content-type': 'application/x-www-form-urlencoded',
  authorization:
    'AWS4-HMAC-SHA256 Credential=AKIATEST0001/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0',
};
