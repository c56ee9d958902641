import test, { type ExecutionContext } from 'ava';
import { RequestService } from '../../../../core/requests/request-service.ts';
import { brokersBench } from '../../../support/brokers-bench.ts';
import { noAnswerAfter } from '../../../support/no-answer.ts';
import { noBudgets } from '../../../support/no-budgets.ts';

const noMore = { kind: 'capacity', code: 'ICE', message: 'No more.', count: 2 } as const;

/** Four requests of broker `a`, with two machines at each of two instances, of which one is not ready yet. */
async function fourRequests(t: ExecutionContext) {
  const bench = await brokersBench(t);
  const { clock, clouds, join, request, store } = bench;
  const { west, east } = clouds;
  await join('a', 'west', 'east');
  await clock.advance(2_000);
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    west.scripts.push((order) => ({ ...west.start(order, 2), shortfall: [noMore] }));
    ids.push(...(await request(undefined, 1, { machine_count: 4 })));
    await clock.advance(3_000);
  }
  west.boot();
  east.boot();
  const unready = new Map<string, string>();
  for (const id of ids) {
    const [, machine_id = ''] = east.live(id);
    unready.set(id, machine_id);
    const machine = east.machines.get(machine_id) ?? t.fail();
    machine.report = { machine_id, status: 'pending', ready: false };
  }
  await clock.advance(5_000);
  return { ...bench, west, east, ids, unready, service: new RequestService(store, clock, noBudgets, 1_000) };
}

test('a request whose releases hang at two instances in turn goes to the broker that should have it, and ends there', async (t) => {
  const { clock, join, holds, store, west, east, ids, service } = await fourRequests(t);
  for (const [cloud, provider_instance] of [
    [west, 'west'],
    [east, 'east'],
  ] as const) {
    cloud.beforeRelease = noAnswerAfter(clock, 60_000);
    for (const id of ids) {
      const [machine_id = ''] = cloud.live(id);
      await service.returnMachines([{ machine_id, provider_instance }], 600, {});
    }
    await clock.advance(30_000);
  }
  await join('b', 'west', 'east');
  await clock.advance(60_000);
  east.boot();
  await clock.advance(300_000);
  t.true(((await holds())['b'] ?? 0) > 0);
  for (const request_id of ids) t.is((await store.get('request', { request_id }))?.status, 'completed', request_id);
});

test('a return at an instance that answers does not wait for a release that hangs elsewhere when another broker should have the request', async (t) => {
  const { clock, join, west, east, ids, unready, service } = await fourRequests(t);
  const give = (machine_id: string, provider_instance: string) =>
    service.returnMachines([{ machine_id, provider_instance }], 600, {});
  west.beforeRelease = noAnswerAfter(clock, 58_000);
  for (const id of ids) await give(west.live(id)[0] ?? '', 'west');
  await clock.advance(2_000);
  await join('b', 'west', 'east');
  await clock.advance(10_000);
  // Without these machines the requests can end.
  for (const id of ids) await give(unready.get(id) ?? '', 'east');
  await clock.advance(2_000);
  for (const id of ids) t.false(east.live(id).includes(unready.get(id) ?? ''));
});
