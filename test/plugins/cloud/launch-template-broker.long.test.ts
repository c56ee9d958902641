import test from 'ava';
import { startSimulator } from '../../../plugins/cloud-simulator/server/start-simulator.ts';
import { bootBroker } from '../../support/boot-broker.ts';
import { fastClock } from '../../support/fast-clock.ts';

const base = { image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'] };
const templates = [
  { template_id: 'instant', provider_api: 'EC2Fleet', ...base },
  { template_id: 'request', provider_api: 'EC2Fleet', fleet_type: 'request', ...base },
  { template_id: 'spot', provider_api: 'SpotFleet', price_type: 'spot', ...base },
  { template_id: 'group', provider_api: 'ASG', ...base },
];

for (const { template_id } of templates) {
  test(`${template_id} with versions for orders: machines come and go, and the order's version goes with them`, async (t) => {
    const launch_template = { create_per_request: false, reuse_existing: false };
    const keys = { access_key_id: 'AKIATEST', secret_access_key: 'test' };
    const cloud = await startSimulator({ knobs: { boot_ms: 50, shutdown_ms: 50 } });
    const broker = await bootBroker({
      clock: fastClock(20),
      templates,
      configuration: {
        plugins: ['cloud', 'cloud-ec2fleet', 'cloud-spotfleet', 'cloud-asg', 'default-format', 'storage-memory'],
        storage: { type: 'memory' },
        providers: [{ name: 'east', type: 'cloud', config: { endpoint_url: cloud.url, ...keys, launch_template } }],
      },
    });
    t.teardown(async () => {
      await broker.close();
      await cloud.close();
    });
    const versions = () =>
      [...cloud.state.regions()].flatMap(({ templates: shelf }) =>
        [...shelf.byId.values()].flatMap((each) => [...each.versions.values()].map(({ description }) => description)),
      );
    const { body } = await broker.call('POST', '/machines/request', { template_id, machine_count: 2 });
    const id = body.request_id as string;
    const { machines } = await broker.until(async () => {
      const status = await broker.call('GET', `/requests/${id}/status`);
      return status.body.status === 'completed' && status.body;
    });
    t.is(machines.length, 2);
    t.deepEqual(versions(), ['muster: versions of orders', `muster: request ${id} attempt 1`]);
    await broker.call('POST', '/machines/return', {
      machine_ids: machines.map((each: { machine_id: string }) => each.machine_id),
    });
    await broker.until(async () => versions().length === 1);
    const { live, spot_fleets, groups } = cloud.ledger();
    t.deepEqual([live, spot_fleets, groups], [{}, [], []]);
  });
}
