import test from 'ava';
import { actionNames } from '../../../plugins/cloud-simulator/actions/action-names.ts';
import { actions, apiNames, policyFor, type ApiName } from '../../../scripts/pages/cloud/policy.ts';
import { cloudApis } from '../../../scripts/pages/cloud/apis.ts';
import { cloud } from '../../../plugins/cloud/index.ts';
import { bootBroker } from '../../support/boot-broker.ts';
import { stage } from './support.ts';

const apis = await cloudApis();
const plugins = [
  'cloud',
  'cloud-runinstances',
  'cloud-ec2fleet',
  'cloud-spotfleet',
  'cloud-asg',
  'default-format',
  'storage-memory',
];

/** Every action of the simulated cloud that the policy of an API does not name. */
function forbidden(api: ApiName): string[] {
  const allowed = new Set(actions([api]));
  return Object.entries(actionNames).flatMap(([service, names]) =>
    names.filter((name) => !allowed.has(`${service}:${name}`)),
  );
}

for (const api of apiNames)
  for (const fleet_type of api === 'EC2Fleet'
    ? ['instant', 'request', 'maintain']
    : api === 'SpotFleet'
      ? ['request']
      : [undefined])
    test(`${api}${fleet_type ? ` ${fleet_type}` : ''}: its policy allows every call that provisions and releases`, async (t) => {
      const template = {
        template_id: 't',
        provider_api: api,
        image_id: 'resolve:ssm:/golden/image',
        machine_types: { 't3.small': 1, 't3.medium': 1 },
        subnet_ids: ['subnet-1', 'subnet-2'],
        price_type: api === 'SpotFleet' ? 'spot' : 'mixed',
        ...(fleet_type ? { fleet_type } : {}),
      };
      const quick = {
        start_ms: 20,
        launch_ms: 20,
        retry_ms: 100,
        modify_ms: 20,
        notice_ms: 20,
        stale_ms: 0,
        history_ms: 0,
      };
      const denied = forbidden(api).map((action) => ({ action }));
      const booted = await bootBroker({
        storage: 'memory',
        templates: [template],
        configuration: { plugins },
        // The instance serves all APIs here, so a sweep would ask for what those of other APIs made.
        settings: { sweep_first_ms: 3_600_000 },
        knobs: {
          auth: { denied },
          fleets: quick,
          groups: { react_ms: 20, health_ms: 50, retry_ms: 50, delete_ms: 20 },
        },
      });
      t.teardown(booted.close);
      const { call, until, simulator } = booted;
      const { body } = await call('POST', '/machines/request', { template_id: 't', machine_count: 2 });
      const done = await until(async () => {
        const { body: status } = await call('GET', `/requests/${body.request_id}/status`);
        return /completed|failed/.test(status.status) ? status : undefined;
      });
      t.is(done.status, 'completed', JSON.stringify(done.fulfilment));
      const machine_ids = done.machines.map(({ machine_id }: { machine_id: string }) => machine_id);
      await call('POST', '/machines/return', { machine_ids });
      await until(async () => Object.keys(simulator.ledger().live).length === 0);
      const refused = simulator.audit().filter(({ code }) => /Unauthorized|AccessDenied/.test(code ?? ''));
      t.deepEqual([...new Set(refused.map(({ action }) => action))], []);
    });

for (const api of apiNames)
  test(`${api}: its policy allows the sweep of an instance that serves it alone`, async (t) => {
    const there = await stage();
    t.teardown(there.close);
    const made = await there.session.write(
      (ec2) =>
        new ec2.CreateLaunchTemplateCommand({
          LaunchTemplateName: 'left-over',
          LaunchTemplateData: { ImageId: 'ami-1' },
        }),
      there.call,
    );
    there.simulator.setKnobs({ auth: { denied: forbidden(api).map((action) => ({ action })) } });
    const left = { kind: 'launch_template' as const, id: made.LaunchTemplate?.LaunchTemplateId ?? '' };
    const own = apis.find(({ name }) => name === api);
    t.deepEqual(await Array.fromAsync(cloud.owned?.(there.session, 'inst-1', there.call) ?? []), []);
    t.deepEqual(await Array.fromAsync(own?.owned?.(there.session, 'inst-1', there.call) ?? []), []);
    await cloud.remove?.(there.session, [left], there.call);
    await cloud.check?.(there.session, there.call);
    await Array.fromAsync(cloud.machineTypes?.(there.session, there.call) ?? []);
    t.deepEqual(there.simulator.ledger().templates, []);
  });

test('the policy for all APIs names every call of the plugins', (t) => {
  const { Statement } = policyFor() as { Statement: { Action: string | string[] }[] };
  const named = new Set(Statement.flatMap(({ Action }) => Action));
  for (const action of actions()) t.true(named.has(action), action);
});
