import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { bootBroker, makePlace, type BootedBroker } from '../../support/boot-broker.ts';

const base = { image_id: 'ami-1', machine_type: 't3.small', subnet_ids: ['subnet-1'], security_group_ids: ['sg-1'] };

async function boot(
  t: ExecutionContext,
  template: object,
  knobs: KnobChange,
  files: Readonly<Record<string, string>> = {},
): Promise<BootedBroker> {
  const options = { storage: 'memory', knobs, templates: [{ template_id: 't', ...base, ...template }] } as const;
  const place = await makePlace(options);
  for (const [name, text] of Object.entries(files)) await writeFile(join(place.directory, name), text);
  const booted = await bootBroker({ ...options, place });
  t.teardown(async () => {
    await booted.close();
    await place.close();
  });
  return booted;
}

const launches = ({ simulator }: BootedBroker): number =>
  simulator.audit().filter(({ action }) => action === 'RunInstances' || action === 'CreateFleet').length;

async function outcome({ call, until }: BootedBroker) {
  const { body } = await call('POST', '/machines/request', { template_id: 't', machine_count: 2 });
  return until(async () => {
    const status = await call('GET', `/requests/${body.request_id}/status`);
    return /completed|failed/.test(status.body.status) ? status.body : undefined;
  });
}

// Of the catalogue, so that the subnet alone is unknown.
const known = { image_id: 'ami-067bea1a7acde1586', security_group_ids: ['sg-0a4f686db37e6d6a1'] };

for (const provider_api of ['RunInstances', 'EC2Fleet']) {
  test(`${provider_api}: what only the cloud can know of a template comes back as its sentence, and is not tried again`, async (t) => {
    const broker = await boot(t, { provider_api, ...known, subnet_ids: ['subnet-0bad'] }, { strict_ids: true });
    const status = await outcome(broker);
    t.is(status.status, 'failed');
    t.regex(status.message, /The subnet ID 'subnet-0bad' does not exist/);
    t.like(status.fulfilment.shortfall[0], { kind: 'invalid', code: 'InvalidSubnetID.NotFound' });
    t.is(launches(broker), 1);
  });

  test(`${provider_api}: a refusal of the whole call, as of a group in another network than the subnet, ends the request`, async (t) => {
    const action = provider_api === 'EC2Fleet' ? 'CreateFleet' : provider_api;
    const broker = await boot(
      t,
      { provider_api },
      { faults: [{ action, effect: 'skip', then: 'error', code: 'InvalidParameter' }] },
    );
    const status = await outcome(broker);
    t.is(status.status, 'failed');
    t.regex(status.message, /InvalidParameter by a fault rule of the simulated cloud/);
    t.like(status.fulfilment.shortfall[0], { kind: 'invalid', code: 'InvalidParameter' });
    t.is(launches(broker), 1);
  });

  test(`${provider_api}: a parameter that names no image ends the request with its name, before anything is launched`, async (t) => {
    const broker = await boot(t, { provider_api, image_id: 'resolve:ssm:/images/missing' }, {});
    const status = await outcome(broker);
    t.is(status.status, 'failed');
    t.regex(status.message, /The parameter '\/images\/missing', which names the image, does not exist/);
    t.like(status.fulfilment.shortfall[0], { kind: 'invalid', code: 'ParameterNotFound' });
    t.is(launches(broker), 0);
  });
}

test('a specification in a file is merged into the launch, and a template with a broken one is refused', async (t) => {
  const spec = { launch_template_spec_file: 'spec.yaml', provider_api: 'EC2Fleet' };
  const good = await boot(t, spec, {}, { 'spec.yaml': 'EbsOptimized: true\n' });
  t.is((await outcome(good)).status, 'completed');
  const [state] = [...good.simulator.state.regions()];
  const [made] = [...(state?.templates.byId.values() ?? [])];
  t.is(made?.versions.get(1)?.data['EbsOptimized'], 'true');

  const bad = await boot(t, spec, {}, { 'spec.yaml': '[' });
  const refused = await bad.call('POST', '/machines/request', { template_id: 't', machine_count: 1 });
  t.is(refused.status, 404);
  const { body } = await bad.call('POST', '/templates/refresh');
  t.regex(body.message, /template 't': .*spec\.yaml:\d+:\d+/);
});

test('a template made over the API may not name a file', async (t) => {
  const broker = await boot(t, {}, {}, { 'spec.json': '{}' });
  for (const provider_api of ['RunInstances', 'EC2Fleet']) {
    const template = { template_id: provider_api, provider_api, ...base, launch_template_spec_file: 'spec.json' };
    const made = await broker.call('POST', '/templates/', template);
    t.is(made.status, 400);
    t.regex(JSON.stringify(made.body), /launch_template_spec_file.*only template files may name a file/);
  }
});
