// oxlint-disable unicorn/no-thenable -- `then` is the name of the knob's field on the wire
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler';
import test, { type ExecutionContext } from 'ava';
import { failureOf, seen } from './failure.ts';
import { launch, openCloud } from './support.ts';

/** A client whose patience is given, and that says when it is at its end. */
function impatient(t: ExecutionContext, endpoint: string, consistencyGrace: NodeHttpHandlerOptions): EC2Client {
  const client = new EC2Client({
    endpoint,
    region: 'us-east-1',
    maxAttempts: 1,
    credentials: { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' },
    requestHandler: new NodeHttpHandler(consistencyGrace),
  });
  t.teardown(() => client.destroy());
  return client;
}

const slow: readonly [then: 'slow-headers' | 'slow-body', consistencyGrace: NodeHttpHandlerOptions, ends: boolean][] =
  [
    ['slow-headers', { requestTimeout: 300, throwOnRequestTimeout: true }, true],
    ['slow-headers', { socketTimeout: 300 }, true],
    ['slow-headers', { requestTimeout: 5000, throwOnRequestTimeout: true, socketTimeout: 5000 }, false],
    // The request timeout ends with the head of the answer: only the one of the socket sees a body that does not come.
    ['slow-body', { requestTimeout: 300, throwOnRequestTimeout: true }, false],
    ['slow-body', { socketTimeout: 300 }, true],
    ['slow-body', { socketTimeout: 5000 }, false],
  ];
for (const [then, consistencyGrace, ends] of slow) {
  // One at a time: a busy computer is slow enough for these patiences.
  test.serial(
    `${then}: a client with ${JSON.stringify(consistencyGrace)} ${ends ? 'gives up' : 'gets the answer'}, and the call has taken effect`,
    async (t) => {
      const delay_ms = ends ? 20_000 : 700;
      const { simulator } = await openCloud(t, {
        knobs: { faults: [{ action: 'RunInstances', effect: 'execute', then, delay_ms }] },
      });
      const began = performance.now();
      const failure = await failureOf(impatient(t, simulator.url, consistencyGrace).send(launch()));
      const took = performance.now() - began;
      t.is(failure.message === 'none', !ends, `${failure.name} ${failure.message}`);
      t.is(took >= delay_ms - 10, !ends, `${took} ms`);
      t.is(simulator.ledger().untagged.length, 1);
      t.like(simulator.audit()[0], { executed: true, answered: !ends, fault: `execute/${then}` });
    },
  );
}

test('closing the simulator ends calls that hang, are slow or are delayed', async (t) => {
  for (const rule of [
    { then: 'hang' },
    { then: 'slow-headers', delay_ms: 3_000_000 },
    { then: 'slow-body', delay_ms: 3_000_000 },
    { then: 'drop', delay_ms: 9_000_000_000 },
  ] as const) {
    const { ec2, simulator } = await openCloud(t, {
      knobs: { faults: [{ action: '*', effect: 'execute', ...rule }] },
    });
    const answer = failureOf(ec2.send(launch()));
    await seen(simulator);
    await simulator.close();
    t.not((await answer).message, 'none', rule.then);
    t.false(simulator.audit()[0]?.answered);
  }
});

test('latency delays the answer of its action, and a caller that has gone is not answered', async (t) => {
  const { ec2, simulator } = await openCloud(t, { knobs: { latency_ms: { RunInstances: 1_000 } } });
  const began = performance.now();
  await ec2.send(launch());
  t.true(performance.now() - began >= 990);
  const caller = new AbortController();
  const answer = failureOf(ec2.send(launch(), { abortSignal: caller.signal }));
  await seen(simulator, 2);
  caller.abort();
  await answer;
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  t.deepEqual(
    simulator.audit().map((entry) => [entry.executed, entry.answered]),
    [
      [true, true],
      [true, false],
    ],
  );
});

test('latency is drawn between its bounds, for the action that is named before all others', async (t) => {
  const { ec2 } = await openCloud(t, { knobs: { latency_ms: { DescribeInstances: { min: 60, max: 90 }, '*': 0 } } });
  const took = async (call: () => Promise<unknown>) => {
    const began = performance.now();
    await call();
    return performance.now() - began;
  };
  await ec2.send(launch());
  const times = [1, 2, 3].map(() => took(() => ec2.send(new DescribeInstancesCommand({}))));
  for (const time of await Promise.all(times)) t.true(time >= 55, `${time} ms`);
});
