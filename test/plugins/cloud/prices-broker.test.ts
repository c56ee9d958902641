import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { bootBroker, makePlace, type BootedBroker, type BootOptions } from '../../support/boot-broker.ts';

const template = (template_id: string, fields: object) => ({
  template_id,
  provider_api: 'RunInstances',
  image_id: 'ami-1',
  machine_type: 'm5.large',
  subnet_ids: ['subnet-1'],
  ...fields,
});

const templates = [template('plain', {}), template('spot', { price_type: 'spot' })];

/** The status of a request for machines of a template, when it has ended. */
async function delivered(broker: BootedBroker, template_id: string, machine_count = 2): Promise<any> {
  const { body } = await broker.call('POST', '/machines/request', { template_id, machine_count });
  return broker.until(async () => {
    const { body: now } = await broker.call('GET', `/requests/${body.request_id}/status`);
    return now.status === 'completed' && now;
  });
}

const boot = async (t: { teardown(over: () => Promise<void>): void }, options: BootOptions = {}) => {
  const broker = await bootBroker({ storage: 'memory', templates, ...options });
  t.teardown(broker.close);
  return broker;
};

const asks = ({ simulator }: BootedBroker): number =>
  simulator.audit().filter(({ action }) => action === 'DescribeSpotPriceHistory').length;

test('a request and its machines say what they cost an hour, on demand and on Spot', async (t) => {
  const broker = await boot(t);
  const plain = await delivered(broker, 'plain');
  t.is(plain.cost.usd_per_hour, 0.192);
  t.true(plain.cost.usd_so_far >= 0);
  t.deepEqual(
    plain.machines.map(({ cost }: any) => cost.usd_per_hour),
    [0.096, 0.096],
  );
  t.is(asks(broker), 0, 'only Spot prices change');
  broker.simulator.setKnobs({ prices: [{ instance_type: 'm5.large', market: 'spot', price: 0.0123 }] });
  t.is((await delivered(broker, 'spot')).cost.usd_per_hour, 0.0246);
  t.is((await delivered(broker, 'spot', 3)).cost.usd_per_hour, 0.0369);
  t.is(asks(broker), 1, 'they are kept for an hour');
  const { body } = await broker.call('GET', '/inventory/?template_id=spot');
  t.deepEqual(new Set(body.machines.map(({ cost }: any) => cost.usd_per_hour)), new Set([0.0123]));
});

test('Spot prices that may not be read hide no machine: the list price counts', async (t) => {
  const broker = await boot(t, {
    knobs: {
      faults: [
        {
          action: 'DescribeSpotPriceHistory',
          times: null,
          effect: 'skip',
          then: 'error',
          code: 'UnauthorizedOperation',
          status: 403,
        },
      ],
    },
  });
  t.is((await delivered(broker, 'spot')).cost.usd_per_hour, 0.192);
});

test('a machine whose price nobody knows is said to have none, and is left out of the sum', async (t) => {
  const broker = await boot(t, { templates: [template('old', { machine_type: 'm1.small' })] });
  const { cost, machines } = await delivered(broker, 'old');
  t.deepEqual(cost, { usd_per_hour: 0, usd_so_far: 0, unpriced_machines: 2 });
  t.deepEqual(
    machines.map((machine: any) => machine.cost),
    [null, null],
  );
});

test('the conditions of an instance come before list prices', async (t) => {
  const place = await makePlace({ storage: 'memory', templates });
  t.teardown(place.close);
  const file = join(place.directory, 'muster.config.json');
  const { providers, ...others } = JSON.parse(await readFile(file, 'utf8'));
  const [{ config, ...east }] = providers;
  const prices = { factor: 0.5, table: { 'm5.large': { ondemand: 0.07 } } };
  await writeFile(file, JSON.stringify({ ...others, providers: [{ ...east, config: { ...config, prices } }] }));
  const broker = await boot(t, { place });
  t.is((await delivered(broker, 'plain')).cost.usd_per_hour, 0.14);
  broker.simulator.setKnobs({ prices: [{ instance_type: 'm5.large', market: 'spot', price: 0.0124 }] });
  t.is((await delivered(broker, 'spot')).cost.usd_per_hour, 0.0124);
});

test('when its machines are gone, a request costs nothing more', async (t) => {
  const broker = await boot(t);
  const { request_id, machines } = await delivered(broker, 'plain');
  const machine_ids = machines.map(({ machine_id }: any) => machine_id);
  const { body } = await broker.call('POST', '/machines/return', { machine_ids });
  await broker.until(async () => {
    const { body: now } = await broker.call('GET', `/requests/${body.request_id}/status`);
    return now.status === 'completed';
  });
  const read = async () => (await broker.call('GET', `/requests/${request_id}/status`)).body.cost;
  const { usd_per_hour, usd_so_far } = await read();
  t.is(usd_per_hour, 0);
  t.true(usd_so_far > 0);
  t.deepEqual(await read(), { usd_per_hour, usd_so_far });
});
