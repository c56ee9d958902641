import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { bootBroker, startBroker, until, type StartedBroker } from '../../support/boot-broker.ts';
import { placeWithQueue } from './interruption-support.ts';

/** Real processes on one place, which are killed and started again. */
async function processes(t: ExecutionContext, knobs: KnobChange = {}) {
  const { place, ec2, left, put } = await placeWithQueue(t, knobs);
  let broker = await startBroker({ place });
  t.teardown(() => broker.stop());
  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await fetch(`${broker.url}/api/v1${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    });
    return answer.json();
  };
  return {
    place,
    ec2,
    left,
    put,
    async order(machine_count: number): Promise<readonly string[]> {
      const { request_id } = await call('POST', '/machines/request', { template_id: 'report', machine_count });
      const ended = await until(async () => {
        const now = await call('GET', `/requests/${request_id}/status`);
        return now.status === 'completed' && now;
      });
      return ended.machines.map(({ machine_id }: { machine_id: string }) => machine_id);
    },
    reclaimed: async (machine_ids: readonly string[]): Promise<number> =>
      (await call('POST', '/machines/reclaimed', { machine_ids })).machines.length,
    kill: (): Promise<number | string> => broker.kill('SIGKILL'),
    async start(): Promise<StartedBroker> {
      return (broker = await startBroker({ place }));
    },
    /** How often the journal names each machine in events of a type. */
    async journal(type: string): Promise<ReadonlyMap<string, number>> {
      const reader = await bootBroker({ place, loop: 'none' });
      const events = await reader.broker.store.find('event', { where: { type } });
      await reader.close();
      const ids = events.flatMap(({ data }) => data['machine_ids'] as readonly string[]);
      return new Map([...Map.groupBy(ids, (id) => id)].map(([id, times]) => [id, times.length]));
    },
  };
}

const once = (ids: readonly string[]) => new Map(ids.map((id) => [id, 1]));
const sorted = (times: ReadonlyMap<string, number>) => [...times].toSorted();

test('messages whose effect was stored before a kill, and that come again, have no second effect', async (t) => {
  const { place, ec2, left, order, reclaimed, kill, start, journal } = await processes(t, {
    faults: [{ action: 'DeleteMessageBatch', times: null, effect: 'skip', then: 'hang' }],
  });
  const { simulator } = place;
  const ids = await order(4);
  const [warned = '', advised = '', ended = '', planned = ''] = ids;
  simulator.setKnobs({
    reclaim: [{ instance_ids: [warned] }],
    rebalance: [{ instance_ids: [advised] }],
    health: [{ instance_ids: [planned], event: 'instance-retirement', event_in_ms: 3_000_000 }],
  });
  await ec2.send(new TerminateInstancesCommand({ InstanceIds: [ended] }));
  await until(async () => (await reclaimed(ids)) === 4);
  t.true(left() > 4, 'nothing is deleted yet');
  t.is(await kill(), 'SIGKILL');

  simulator.setKnobs({ faults: [] });
  // The messages become visible again.
  simulator.advance(31_000);
  const next = await start();
  await until(async () => left() === 0);
  t.is(await reclaimed(ids), 4);
  await next.kill('SIGTERM');
  t.deepEqual(sorted(await journal('machine.reclaim_noticed')), sorted(once([warned, planned])));
  t.deepEqual(sorted(await journal('machine.rebalance_recommended')), sorted(once([advised])));
  t.deepEqual(sorted(await journal('machine.lost')), sorted(once([ended])));
});

test('a broker that is killed again and again among hundreds of messages applies each once, and loses none', async (t) => {
  t.timeout(300_000);
  const { place, left, order, kill, start, journal } = await processes(t, {
    queues: { names: ['events'], repeat: 0.3, delay_ms: { min: 0, max: 3_000 } },
    latency_ms: { DeleteMessageBatch: { min: 0, max: 300 } },
  });
  const { simulator } = place;
  const ids = await order(200);
  await until(async () => left() === 0);
  const deleted = () => simulator.audit().filter(({ action }) => action === 'DeleteMessageBatch').length;
  simulator.setKnobs({ reclaim: [{ notice_s: 120 }] });
  for (let kills = 0; kills < 5; kills++) {
    const before = deleted();
    await until(async () => deleted() > before || left() === 0);
    await kill();
    await start();
  }
  // What was received before a kill becomes visible again. A step of the cloud's clock alone must stay small, because
  // the broker converts the times of the cloud.
  simulator.advance(31_000);
  await until(async () => left() === 0);
  await until(async () => (await journal('machine.reclaim_noticed')).size === ids.length);
  // EC2 ends the machines.
  simulator.advance(120_000);
  await until(async () => (await alive(place)) === 0);
  await kill();
  t.deepEqual(sorted(await journal('machine.reclaim_noticed')), sorted(once(ids)));
  t.deepEqual(sorted(await journal('machine.lost')), sorted(once(ids)));

  async function alive(on: typeof place): Promise<number> {
    const reader = await bootBroker({ place: on, loop: 'none' });
    const count = await reader.broker.store.count('machine', { gone_at: null });
    await reader.close();
    return count;
  }
});
