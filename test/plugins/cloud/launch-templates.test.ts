import test from 'ava';
import { compile, isFault, ProviderFault } from '../../../core/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { CloudConfig, settingsOf } from '../../../plugins/cloud/config.ts';
import { templateStage } from './launch-template-support.ts';

const like = (key_name: string, template_id = 't') => ({ template: { template_id, key_name } as any });

test('unknown naming and version strategies are refused', (t) => {
  for (const naming_strategy of ['request_based', 'template_based'])
    t.is(
      settingsOf({ launch_template: { naming_strategy } as any }).launch_template.naming_strategy,
      naming_strategy as any,
    );
  for (const bad of [{ naming_strategy: 'by_mood' }, { version_strategy: 'fifo' }])
    t.is(compile(CloudConfig).parse({ launch_template: bad }).findings?.length, 1);
});

test('incremental: changed contents become a new version of the one launch template that the template has', async (t) => {
  const cloud = await templateStage(t);
  const first = await cloud.order(ec2Fleet, like('a'));
  const second = await cloud.order(ec2Fleet, like('b'));
  const again = await cloud.order(ec2Fleet, like('a'));
  const other = await cloud.order(ec2Fleet, like('a', 'another'));
  const { id } = first.prepared.template;
  t.deepEqual(first.prepared.template, { id, version: '1', owner: 'shared' });
  t.deepEqual(second.prepared.template, { id, version: '2', owner: 'shared' });
  t.deepEqual(again.prepared.template, first.prepared.template);
  t.not(other.prepared.template.id, id);
  t.is((await cloud.version(second.prepared.template))?.LaunchTemplateData?.KeyName, 'b');
  t.is(second.prepared.input.LaunchTemplateConfigs[0].LaunchTemplateSpecification.Version, '2');
  t.deepEqual(
    cloud.shelves().map(({ versions }) => Object.keys(versions).length),
    [2, 1],
  );
});

test('separate: each content is a launch template of its own, which templates with equal contents share', async (t) => {
  const cloud = await templateStage(t, { version_strategy: 'separate' });
  const used = [];
  for (const each of [like('a'), like('b'), like('a', 'another')])
    used.push((await cloud.order(ec2Fleet, each)).prepared.template);
  t.deepEqual(
    used.map(({ version, owner }) => [version, owner]),
    Array.from({ length: 3 }, () => ['1', 'shared']),
  );
  t.not(used[0]?.id, used[1]?.id);
  t.is(used[0]?.id, used[2]?.id);
  t.is(cloud.calls('CreateLaunchTemplateVersion'), 0);
});

test('separate: a launch template outlives the week, unless old ones are deleted', async (t) => {
  for (const cleanup_old_versions of [false, true]) {
    const cloud = await templateStage(t, { version_strategy: 'separate', cleanup_old_versions });
    const first = await cloud.order(ec2Fleet, like('a'));
    cloud.simulator.advance(8 * 86_400_000);
    const second = await cloud.order(ec2Fleet, like('a'));
    t.is(first.prepared.template.id === second.prepared.template.id, !cleanup_old_versions);
  }
});

for (const version_strategy of ['incremental', 'separate']) {
  test(`${version_strategy}: whoever comes later, a broker started anew too, finds what is there`, async (t) => {
    const cloud = await templateStage(t, { version_strategy });
    const first = [await cloud.order(ec2Fleet, like('a')), await cloud.order(ec2Fleet, like('b'))];
    const later = await cloud.another();
    const second = [await cloud.order(ec2Fleet, like('a'), later), await cloud.order(ec2Fleet, like('b'), later)];
    t.deepEqual(
      second.map(({ prepared }) => prepared.template),
      first.map(({ prepared }) => prepared.template),
    );
  });

  test(`${version_strategy}: what was made and not answered is found by the next who asks, in whatever process`, async (t) => {
    for (const action of ['CreateLaunchTemplate', 'CreateLaunchTemplateVersion']) {
      const cloud = await templateStage(t, { version_strategy });
      await cloud.order(ec2Fleet, like('before'));
      const more = action === 'CreateLaunchTemplate' ? like('a', 'another') : like('a');
      cloud.simulator.setKnobs({ faults: [{ action, effect: 'execute', then: 'drop' }], tokens: { memory_ms: 0 } });
      const fault = await cloud.order(ec2Fleet, more).catch((error: unknown) => error);
      if (version_strategy === 'incremental' || action === 'CreateLaunchTemplate')
        t.is((fault as ProviderFault).kind, 'unavailable');
      const made = cloud.shelves();
      const order = await cloud.order(ec2Fleet, more, await cloud.another());
      t.deepEqual(cloud.shelves(), made);
      t.is((await cloud.version(order.prepared.template))?.LaunchTemplateData?.KeyName, 'a');
    }
  });

  test(`${version_strategy}: two sessions at once arrive at contents that are right, and from then on at the same`, async (t) => {
    const cloud = await templateStage(t, { version_strategy }, { latency_ms: { '*': { min: 0, max: 30 } } });
    const two = await cloud.another();
    for (const key of ['a', 'b']) {
      const orders = await Promise.all([cloud.order(ec2Fleet, like(key)), cloud.order(ec2Fleet, like(key), two)]);
      for (const { prepared } of orders)
        t.is((await cloud.version(prepared.template))?.LaunchTemplateData?.KeyName, key);
    }
    const later = await Promise.all([cloud.another(), cloud.another()]);
    const found = await Promise.all(later.map((each) => cloud.order(ec2Fleet, like('b'), each)));
    t.deepEqual(found[0]?.prepared.template, found[1]?.prepared.template);
  });
}

test('concurrent orders of one session create one launch template', async (t) => {
  const cloud = await templateStage(t);
  const orders = await Promise.all([1, 2, 3].map(() => cloud.order(ec2Fleet, like('a'))));
  t.is(new Set(orders.map(({ prepared }) => JSON.stringify(prepared.template))).size, 1);
  t.is(cloud.calls('CreateLaunchTemplate'), 1);
});

test('another installation on the account has launch templates of its own', async (t) => {
  const cloud = await templateStage(t, { create_per_request: false });
  const foreign = await cloud.another('inst-2');
  for (const at of [cloud, foreign])
    for (const fleet_type of ['instant', 'maintain'])
      await cloud.order(ec2Fleet, { template: { fleet_type } as any }, at);
  const shelves = cloud.shelves();
  t.is(new Set(shelves.map(({ name }) => name)).size, 4);
  t.deepEqual(
    shelves.map(({ tags }) => tags['muster:installation']),
    ['inst-1', 'inst-1', 'inst-2', 'inst-2'],
  );
});

test('a version that is not visible yet is retried; a deleted one is created again', async (t) => {
  const cloud = await templateStage(t);
  await cloud.order(ec2Fleet, like('a'));
  cloud.simulator.advance(86_400_000);
  const order = await cloud.order(ec2Fleet, like('b'));
  const { id, version } = order.prepared.template;
  await cloud.session.write(
    (ec2) => new ec2.DeleteLaunchTemplateVersionsCommand({ LaunchTemplateId: id, Versions: [version] }),
    cloud.call,
  );
  const launch = async () => {
    const fault = await ec2Fleet.launch(cloud.session, order, cloud.call).catch((error: unknown) => error);
    return isFault(fault) ? fault.kind : fault;
  };
  t.is(await launch(), 'unavailable');
  cloud.simulator.advance(300_000);
  t.is(await launch(), 'gone');
  const next = await cloud.order(ec2Fleet, like('b'));
  t.is((await cloud.version(next.prepared.template))?.LaunchTemplateData?.KeyName, 'b');
});

test('a launch template of that name that muster did not create is a fault, and is not used', async (t) => {
  const cloud = await templateStage(t, { version_strategy: 'separate' });
  const [{ name } = { name: '' }] = (await cloud.order(ec2Fleet, like('a')), cloud.shelves());
  await cloud.session.write((ec2) => new ec2.DeleteLaunchTemplateCommand({ LaunchTemplateName: name }), cloud.call);
  const LaunchTemplateData = { ImageId: 'ami-evil' };
  await cloud.session.write(
    (ec2) => new ec2.CreateLaunchTemplateCommand({ LaunchTemplateName: name, LaunchTemplateData }),
    cloud.call,
  );
  const fault = await cloud
    .order(ec2Fleet, like('a'), await cloud.another())
    .catch((error: unknown) => error as ProviderFault);
  t.like(fault, { kind: 'invalid' });
  t.regex((fault as ProviderFault).message, /was not created by muster/);
});

test('a version is added when its new launch template becomes visible, also if EC2 keeps the token of the failed call', async (t) => {
  const cloud = await templateStage(t, { create_per_request: false }, { visible_ms: { template: 20_000 } as any });
  const make = () =>
    cloud.order(ec2Fleet, { request_id: 'req-young', token: 'young', template: { fleet_type: 'maintain' } as any });
  const young = await t.throwsAsync(make());
  t.like(young, { kind: 'unavailable', code: 'InvalidLaunchTemplateId.NotFound' });
  cloud.simulator.advance(60_000);
  t.is((await make()).prepared.template.owner, 'version');
  t.is(cloud.shelves().length, 1);
});
