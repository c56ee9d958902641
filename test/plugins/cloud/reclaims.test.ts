import test from 'ava';
import type { Observation } from '../../../core/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { prepared, sleep, stage, type Stage } from './support.ts';

/** Two running machines of a template, and how to look at them. */
async function running(stand: Stage, price_type: 'spot' | 'ondemand') {
  const order = await prepared(runInstances, stand, { machine_count: 2, template: { price_type } as never });
  const { handle, machines = [] } = await runInstances.launch(stand.session, order, stand.call);
  await sleep(30);
  const observe = async () => {
    const watched = { handle, order, known: machines.map(({ machine_id, status }) => ({ machine_id, status })) };
    return ((await runInstances.observe(stand.session, [watched], stand.call))[0] as Observation).machines;
  };
  return { observe, ids: machines.map(({ machine_id }) => machine_id) };
}

test('the reclaim of a Spot machine is reported with its time while the machine runs', async (t) => {
  const stand = await stage();
  t.teardown(() => stand.close());
  const { observe, ids } = await running(stand, 'spot');
  t.deepEqual(
    (await observe()).map(({ reclaim_at }) => reclaim_at),
    [undefined, undefined],
  );
  const before = stand.simulator.clock.now();
  stand.simulator.setKnobs({ reclaim: [{ instance_ids: [ids[0] ?? ''], notice_s: 120 }] });
  const [first, second] = await observe();
  t.like(first, { machine_id: ids[0], status: 'running', ready: true });
  const at = Date.parse(first?.reclaim_at ?? '');
  t.true(at >= before + 119_000 && at <= stand.simulator.clock.now() + 120_000, String(first?.reclaim_at));
  t.is(second?.reclaim_at, undefined);
});

test('on-demand machines cause no call for reclaims', async (t) => {
  const stand = await stage();
  t.teardown(() => stand.close());
  await (await running(stand, 'ondemand')).observe();
  t.is(stand.calls('DescribeSpotInstanceRequests'), 0);
});

test('a failed call for reclaims hides no machine', async (t) => {
  const stand = await stage({ cloud_max_retries: 0 });
  t.teardown(() => stand.close());
  const { observe } = await running(stand, 'spot');
  stand.simulator.setKnobs({ auth: { denied: [{ action: 'DescribeSpotInstanceRequests' }] } });
  t.deepEqual(
    (await observe()).map(({ status }) => status),
    ['running', 'running'],
  );
});

test('a reclaimed machine is terminated, or left to the cloud, as configured', async (t) => {
  for (const terminate_on_reclaim of [true, false]) {
    const stand = await stage({ terminate_on_reclaim });
    t.teardown(() => stand.close());
    const { observe, ids } = await running(stand, 'spot');
    stand.simulator.setKnobs({ reclaim: [{ instance_ids: [ids[0] ?? ''], notice_s: 120 }] });
    const go = (await observe()).map(({ machine_id, status, market, reclaim_at, data }) => ({
      machine_id,
      status,
      ...(market && { market }),
      ...(reclaim_at && { reclaim_at }),
      ...(data && { data }),
    }));
    const progress = await runInstances.release(stand.session, {} as never, { go, stay: [], incoming: 0 }, stand.call);
    t.is(progress.done, terminate_on_reclaim);
    await sleep(50);
    t.deepEqual(
      (await observe()).map(({ status }) => status),
      [terminate_on_reclaim ? 'terminated' : 'running', 'terminated'],
    );
    // The time was announced, and the cloud did not keep its word.
    const late = go.map((each) => ({ ...each, reclaim_at: '2020-01-01T00:00:00.000Z' }));
    const again = await runInstances.release(
      stand.session,
      {} as never,
      { go: late, stay: [], incoming: 0 },
      stand.call,
    );
    t.true(again.done);
  }
});
