import test from 'ava';
import { bootBroker } from '../../support/boot-broker.ts';
import { fastClock } from '../../support/fast-clock.ts';

for (const [title, fleets] of [
  ['that says why it is short', { history_ms: 0 }],
  ['that says nothing until its time is over', { history_ms: 600_000 }],
] as const)
  test(`a Spot fleet ${title} is followed by on-demand machines of the second list of types`, async (t) => {
    const broker = await bootBroker({
      clock: fastClock(20),
      knobs: {
        boot_ms: 20,
        fleets: { start_ms: 20, launch_ms: 50, retry_ms: 200, notice_ms: 100, ...fleets },
        capacity: [{ market: 'spot', count: 1 }],
      },
      templates: [
        {
          template_id: 'hetero',
          provider_api: 'SpotFleet',
          price_type: 'mixed',
          image_id: 'ami-1',
          machine_types: { 't3.small': 1 },
          machine_types_on_demand: { 't3.medium': 1 },
          subnet_ids: ['subnet-1'],
          spot_fleet_request_expiry: 1,
        },
      ],
      configuration: {
        plugins: ['cloud', 'cloud-spotfleet', 'default-format', 'storage-memory'],
        storage: { type: 'memory' },
      },
    });
    t.teardown(broker.close);
    const { body } = await broker.call('POST', '/machines/request', { template_id: 'hetero', machine_count: 3 });
    // The clock of the cloud runs as that of the computer does.
    await broker.until(async () => broker.simulator.ledger().live[body.request_id]?.length === 1);
    if (fleets.history_ms > 0) broker.simulator.advance(70_000);
    const { machines } = await broker.until(async () => {
      const status = await broker.call('GET', `/requests/${body.request_id}/status?long=true`);
      const [request] = status.body.requests ?? [status.body];
      return ['completed', 'failed'].includes(request.status) && request;
    });
    t.deepEqual(machines.map(({ machine_type, market }: any) => `${machine_type} ${market}`).toSorted(), [
      't3.medium ondemand',
      't3.medium ondemand',
      't3.small spot',
    ]);
  });
