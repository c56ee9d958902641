import test from 'ava';
import type { LaunchOrder, OwnedResource, ProviderApi } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';
import { cloud as cloudType } from '../../../plugins/cloud/index.ts';
import { templateStage, type TemplateStage } from './launch-template-support.ts';

const ways: readonly (readonly [string, ProviderApi, object])[] = [
  ['EC2Fleet maintain', ec2Fleet, { fleet_type: 'maintain' }],
  ['EC2Fleet request', ec2Fleet, { fleet_type: 'request' }],
  ['SpotFleet request', spotFleet, { price_type: 'spot' }],
  ['ASG', asg, {}],
];
const versions = { create_per_request: false };

async function dispose(cloud: TemplateStage, api: ProviderApi, order: LaunchOrder<any, any>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const progress = await api.dispose?.(cloud.session, { order }, cloud.call);
    if (progress?.done) return;
    cloud.simulator.advance(progress?.again_ms ?? 2_000);
  }
  throw new Error('The disposal is never done.');
}

const held = (cloud: TemplateStage) => cloud.shelves().map((shelf) => Object.values(shelf.versions));
const says = ({ request_id, attempt }: LaunchOrder<any, any>) => `muster: request ${request_id} attempt ${attempt}`;
const base = 'muster: versions of orders';

for (const [name, api, template] of ways) {
  test(`${name} with create_per_request: false: each order gets a version with its tags, and takes only that away`, async (t) => {
    const cloud = await templateStage(t, versions);
    const one = await cloud.order(api, { template: template as any });
    const two = await cloud.order(api, { template: template as any });
    const other = await cloud.order(api, { template: { ...template, template_id: 'another' } as any });
    const { id } = one.prepared.template;
    t.deepEqual(one.prepared.template, { id, version: '2', owner: 'version' });
    t.deepEqual(two.prepared.template, { id, version: '3', owner: 'version' });
    t.not(other.prepared.template.id, id);
    for (const order of [one, two]) {
      const tags =
        (await cloud.version(order.prepared.template))?.LaunchTemplateData?.TagSpecifications?.[0]?.Tags ?? [];
      t.is(tags.find(({ Key }) => Key === 'muster:request-id')?.Value, order.request_id);
    }
    t.deepEqual(held(cloud)[0], [base, says(one), says(two)]);
    await dispose(cloud, api, one);
    t.deepEqual(held(cloud)[0], [base, says(two)]);
    // Once more, as after a crash between the call and the commit.
    await dispose(cloud, api, one);
    t.deepEqual(held(cloud), [
      [base, says(two)],
      [base, says(other)],
    ]);
  });

  test(`${name} with create_per_request: false: machines of the version are found by their tags`, async (t) => {
    const cloud = await templateStage(t, versions, { boot_ms: 1_000 });
    const order = await cloud.order(api, { machine_count: 2, template: template as any });
    await api.launch(cloud.session, order, cloud.call);
    cloud.simulator.advance(60_000);
    t.is(cloud.simulator.ledger().live[order.request_id]?.length, 2);
    t.deepEqual(cloud.simulator.ledger().untagged, []);
  });

  for (const [what, settings] of [
    ['a launch template', {}],
    ['a version', versions],
  ] as const) {
    test(`${name}: ${what} whose making was not answered is found again, and goes with an order that broke off there`, async (t) => {
      const cloud = await templateStage(t, settings);
      const kept = await cloud.order(api, { template: template as any });
      const before = held(cloud);
      const action = settings === versions ? 'CreateLaunchTemplateVersion' : 'CreateLaunchTemplate';
      // Without the memory of tokens, as a day later.
      cloud.simulator.setKnobs({ faults: [{ action, effect: 'execute', then: 'drop' }], tokens: { memory_ms: 0 } });
      const fixed = { request_id: 'req-lost', attempt: 2, token: 'tokenlost', template: template as any };
      await t.throwsAsync(cloud.order(api, fixed), { message: /CreateLaunchTemplate/ });
      const broken = held(cloud);
      const order = await cloud.order(api, fixed, await cloud.another());
      t.deepEqual(held(cloud), broken);
      const { prepared: _, ...unprepared } = order;
      await dispose(cloud, api, { ...unprepared, prepared: undefined });
      t.deepEqual(held(cloud), before);
      t.not(await cloud.version(kept.prepared.template), undefined);
    });
  }

  test(`${name}: an order that broke off under other settings leaves nothing either`, async (t) => {
    for (const [then, now] of [
      [{}, versions],
      [versions, { naming_strategy: 'template_based' }],
      [{ naming_strategy: 'template_based' }, {}],
    ]) {
      const cloud = await templateStage(t, then);
      const order = await cloud.order(api, { template: template as any });
      const later = { ...cloud, ...(await cloud.another('inst-1', { launch_template: now })) };
      await dispose(later, api, { ...order, prepared: undefined });
      t.deepEqual(
        held(cloud)
          .flat()
          .filter((text) => text !== base),
        [],
      );
    }
  });

  test(`${name}: an attempt that an earlier version of muster prepared takes its launch template with it`, async (t) => {
    const cloud = await templateStage(t);
    const { LaunchTemplate } = await cloud.session.write(
      (ec2) =>
        new ec2.CreateLaunchTemplateCommand({
          LaunchTemplateName: 'muster-inst-1-req-1-1',
          LaunchTemplateData: { ImageId: 'ami-1' },
        }),
      cloud.call,
    );
    const order = await cloud.order(api, { template: template as any });
    await dispose(cloud, api, order);
    const left = { id: LaunchTemplate?.LaunchTemplateId, version: '1', owner: 'order' };
    await dispose(cloud, api, { ...order, prepared: { ...order.prepared, template: left } });
    t.deepEqual(cloud.shelves(), []);
  });
}

test('create_per_request applies to an instant fleet with contents of its own too', async (t) => {
  const cloud = await templateStage(t, { reuse_existing: false, create_per_request: false });
  const order = await cloud.order(ec2Fleet);
  t.is(order.prepared.template.owner, 'version');
  await dispose(cloud, ec2Fleet, order);
  t.deepEqual(held(cloud), [[base]]);
});

test('the disposal of an order with a shared launch template, or without one, deletes nothing of other orders', async (t) => {
  const cloud = await templateStage(t);
  const order = await cloud.order(ec2Fleet);
  const own = await cloud.order(ec2Fleet, { template: { fleet_type: 'maintain' } as any });
  const before = cloud.shelves();
  await dispose(cloud, ec2Fleet, order);
  await dispose(cloud, ec2Fleet, { ...order, prepared: undefined });
  await dispose(cloud, ec2Fleet, { ...own, attempt: own.attempt + 1, prepared: undefined });
  t.deepEqual(cloud.shelves(), before);
});

test('an order with as many tags as a template may have gets its launch template', async (t) => {
  const cloud = await templateStage(t);
  const tags = Object.fromEntries(Array.from({ length: 46 }, (_, i) => [`tag${i}`, 'x']));
  t.deepEqual(ec2Fleet.review?.({ template_id: 't', image_id: 'ami-1', machine_type: 'm5.large', tags } as any), []);
  await cloud.order(ec2Fleet, { template: { fleet_type: 'maintain', tags } as any });
  t.is(Object.keys(cloud.shelves()[0]?.tags ?? {}).length, 49);
});

test('a version that the cloud does not delete is a fault, so that it is tried again', async (t) => {
  const cloud = await templateStage(t, versions);
  const order = await cloud.order(ec2Fleet, { template: { fleet_type: 'maintain' } as any });
  const { id: LaunchTemplateId, version: DefaultVersion } = order.prepared.template;
  // The default version of a launch template stays.
  await cloud.session.write(
    (ec2) => new ec2.ModifyLaunchTemplateCommand({ LaunchTemplateId, DefaultVersion }),
    cloud.call,
  );
  await t.throwsAsync(dispose(cloud, ec2Fleet, order), {
    message: /^DeleteLaunchTemplateVersions: version 2 of lt-.*unexpectedError$/,
  });
});

test('the sweep lists and deletes versions that orders left behind, and no others', async (t) => {
  const cloud = await templateStage(t, versions);
  const [one, two] = [
    await cloud.order(ec2Fleet, { template: { fleet_type: 'maintain' } as any }),
    await cloud.order(ec2Fleet, { attempt: 4, template: { fleet_type: 'maintain' } as any }),
  ];
  await cloud.order(ec2Fleet);
  const foreign = await cloud.another('inst-2');
  await cloud.order(ec2Fleet, { template: { fleet_type: 'maintain' } as any }, foreign);
  const list = async () =>
    Array.fromAsync<OwnedResource>(cloudType.owned?.(cloud.session, 'inst-1', cloud.call) ?? []);
  const found = await list();
  t.deepEqual(
    found.map(({ kind, request_id, attempt }) => ({ kind, request_id, attempt })),
    [one, two].map(({ request_id, attempt }) => ({ kind: 'launch_template', request_id, attempt })),
  );
  t.true(found.every(({ created_at }) => created_at !== undefined));
  const before = held(cloud);
  for (let time = 0; time < 2; time++) await cloudType.remove?.(cloud.session, found.slice(0, 1), cloud.call);
  t.deepEqual(
    held(cloud),
    before.map((each) => each.filter((text) => text !== says(one))),
  );
  await cloudType.remove?.(cloud.session, await list(), cloud.call);
  t.deepEqual(await list(), []);
});

test('a launch template that EC2 does not show yet does not count as deleted', async (t) => {
  const cloud = await templateStage(t, {}, { visible_ms: { template: 30_000 } });
  const order = await cloud.order(spotFleet, { template: { price_type: 'spot' } as any });
  t.is(held(cloud).length, 1);
  const early = await t.throwsAsync(async () => spotFleet.dispose?.(cloud.session, { order }, cloud.call));
  t.like(early, { kind: 'unavailable', retry_after_ms: 15_000 });
  t.is(held(cloud).length, 1);
  cloud.simulator.advance(60_000);
  await dispose(cloud, spotFleet, order);
  t.is(held(cloud).length, 0);
  // It is gone because we deleted it: nobody waits for that.
  t.deepEqual(await spotFleet.dispose?.(cloud.session, { order }, cloud.call), { done: true });
});
