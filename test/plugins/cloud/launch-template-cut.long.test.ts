import test from 'ava';
import type { LaunchOrder, ProviderApi } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { templateStage, type TemplateStage } from './launch-template-support.ts';

const ways: readonly (readonly [string, ProviderApi, object, object])[] = [
  ['an instant fleet that shares', ec2Fleet, {}, {}],
  ['an instant fleet with its own', ec2Fleet, {}, { reuse_existing: false }],
  ['a maintain fleet with a launch template', ec2Fleet, { fleet_type: 'maintain' }, {}],
  ['a maintain fleet with a version', ec2Fleet, { fleet_type: 'maintain' }, { create_per_request: false }],
  ['a group with a version', asg, {}, { create_per_request: false }],
];
const order = { request_id: 'req-cut', attempt: 1, token: 'tokencut' };
const own = (cloud: TemplateStage) =>
  cloud
    .shelves()
    .flatMap(({ tags, versions }) => [
      ...(tags['muster:request-id'] === order.request_id ? ['launch template'] : []),
      ...Object.values(versions).filter(
        (text) => text === 'muster: request req-cut attempt 1' && tags['muster:request-id'] === undefined,
      ),
    ]);

async function until(cloud: TemplateStage, api: ProviderApi, left: LaunchOrder<any, any>): Promise<void> {
  for (let i = 0; i < 100; i++) {
    const progress = await api.dispose?.(cloud.session, { order: left }, cloud.call).catch(() => undefined);
    if (progress?.done) return;
    cloud.simulator.advance(progress?.again_ms ?? 2_000);
  }
  throw new Error('The disposal is never done.');
}

for (const [name, api, template, settings] of ways) {
  for (const effect of ['execute', 'skip'] as const) {
    test(`${name}, cut off at any call (${effect}): prepared again it has one, and nothing when it is over`, async (t) => {
      for (const remembered of [0, 86_400_000]) {
        let cut = true;
        for (let nth = 1; cut; nth++) {
          const cloud = await templateStage(t, settings, { tokens: { memory_ms: remembered } });
          // Questions are repeated by themselves; a change is cut off, and with it the process.
          const actions = ['CreateLaunchTemplate', 'CreateLaunchTemplateVersion'];
          cloud.simulator.setKnobs({ faults: actions.map((action) => ({ action, nth, effect, then: 'drop' })) });
          cut = await cloud.order(api, { ...order, template: template as any }).then(
            () => false,
            () => true,
          );
          const again = await cloud.another();
          const prepared = await cloud
            .order(api, { ...order, template: template as any }, again)
            .catch(() => cloud.order(api, { ...order, template: template as any }, again));
          t.is(own(cloud).length, prepared.prepared.template.owner === 'shared' ? 0 : 1, `call ${nth}`);
          t.is((await cloud.version(prepared.prepared.template))?.LaunchTemplateData?.ImageId, 'ami-1');
          await until(cloud, api, prepared);
          t.deepEqual(own(cloud), [], `call ${nth}`);
        }
      }
    });

    test(`${name}, whose disposal is cut off (${effect}): the next finishes it`, async (t) => {
      for (const unprepared of [false, true]) {
        const cloud = await templateStage(t, settings);
        const prepared = await cloud.order(api, { ...order, template: template as any });
        const actions = ['DeleteLaunchTemplate', 'DeleteLaunchTemplateVersions'];
        cloud.simulator.setKnobs({ faults: actions.map((action) => ({ action, effect, then: 'drop' })) });
        await until(cloud, api, unprepared ? { ...prepared, prepared: undefined } : prepared);
        t.deepEqual(own(cloud), []);
      }
    });
  }
}
