import test from 'ava';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { inStatus, many } from './steady-support.ts';
import { quietCall, sleep } from './support.ts';

test('concurrent observations, and one soon afterwards, share a listing', async (t) => {
  const { there, watched } = await many(t);
  const looks = [0, 1, 2].map(() => runInstances.observe(there.session, watched, there.call));
  const before = there.calls('DescribeInstanceStatus');
  for (const seen of await Promise.all(looks)) t.deepEqual(inStatus(seen, 'running'), [200, 200, 200, 200, 200, 200]);
  t.is(there.calls('DescribeInstanceStatus') - before, 2);
  there.pass(2_000);
  t.deepEqual((await there.observe(watched)).calls, {});
  there.pass(5_000);
  t.deepEqual((await there.observe(watched)).calls, { DescribeInstanceStatus: 2 });
});

test('the parts of a large observation decide together whether statuses are listed', async (t) => {
  const { there, watched } = await many(t);
  const before = there.calls('DescribeInstances');
  const parts = await Promise.all(watched.map((each) => runInstances.observe(there.session, [each], there.call)));
  t.deepEqual(inStatus(parts.flat(), 'running'), [200, 200, 200, 200, 200, 200]);
  t.is(there.calls('DescribeInstances'), before);
});

test('a listing that is aborted or fails is repeated by the other callers and the next ones', async (t) => {
  const { there, watched } = await many(t);
  there.simulator.setKnobs({ latency_ms: { DescribeInstanceStatus: 300 } });
  const end = new AbortController();
  const gone = runInstances.observe(there.session, watched, quietCall(end.signal));
  gone.catch(() => undefined);
  const patient = runInstances.observe(there.session, watched, there.call);
  await sleep(150);
  end.abort();
  t.deepEqual(inStatus(await patient, 'running'), [200, 200, 200, 200, 200, 200]);

  there.pass(30_000);
  const fault = { action: 'DescribeInstanceStatus', effect: 'skip', then: 'error', times: 2 } as const;
  there.simulator.setKnobs({ latency_ms: {}, faults: [{ ...fault, code: 'InternalError' }] });
  t.deepEqual(inStatus((await there.observe(watched)).seen, 'running'), [-1, -1, -1, -1, -1, -1]);
  t.deepEqual((await there.observe(watched)).calls, { DescribeInstanceStatus: 2 });
  there.pass(30_000);
  there.simulator.setKnobs({ faults: [{ ...fault, code: 'RequestLimitExceeded' }] });
  t.deepEqual((await there.observe(watched)).calls, { DescribeInstanceStatus: 2, DescribeInstances: 2 });
  t.deepEqual((await there.observe(watched)).calls, { DescribeInstanceStatus: 2 });
});

test('without the permission to list statuses machines are described, and statuses are not requested each time', async (t) => {
  const { there, watched } = await many(t);
  there.simulator.setKnobs({ auth: { denied: [{ action: 'DescribeInstanceStatus' }] } });
  const { seen, calls } = await there.observe(watched);
  t.deepEqual(calls, { DescribeInstanceStatus: 2, DescribeInstances: 2 });
  t.deepEqual(inStatus(seen, 'running'), [200, 200, 200, 200, 200, 200]);
  there.pass(30_000);
  t.deepEqual((await there.observe(watched)).calls, { DescribeInstances: 2 });
});
