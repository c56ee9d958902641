import test, { type ExecutionContext } from 'ava';
import { isFault, type Clock, type ProviderApi, type ProviderFault } from '../../../core/index.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { imageOfAlias } from '../../../plugins/cloud-simulator/launch/specification/image-ids.ts';
import { standingClock } from '../../../plugins/cloud-simulator/clock.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { imageIdOf } from '../../../plugins/cloud/template/image-parameter.ts';
import { prepared, stage, type Stage } from './support.ts';

async function open(t: ExecutionContext, knobs: KnobChange = {}, config: object = {}): Promise<Stage> {
  const clock = standingClock();
  const still: Clock = { now: () => clock.now(), monotonic: () => clock.now(), sleep: async () => {} };
  const cloud = await stage(config, { clock: still }, { clock, knobs });
  t.teardown(cloud.close);
  return cloud;
}

/** The image in what an order launches from. */
async function imageOf({ session, call }: Stage, order: { prepared: any }): Promise<string | undefined> {
  const { params, template } = order.prepared;
  if (params) return params.ImageId;
  const { LaunchTemplateVersions } = await session.read(
    (ec2) =>
      new ec2.DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId: template.id, Versions: [template.version] }),
    call,
  );
  return LaunchTemplateVersions?.[0]?.LaunchTemplateData?.ImageId;
}

const held = imageOfAlias('resolve:ssm:/golden/image:3');
const apis: readonly (readonly [ProviderApi, object])[] = [
  [runInstances, {}],
  [ec2Fleet, {}],
  [ec2Fleet, { fleet_type: 'maintain' }],
  [asg, {}],
];
for (const [api, more] of apis) {
  for (const given of [
    { image_id: 'resolve:ssm:/golden/image:3' },
    { image_id: '/golden/image:3' },
    { image_id: 'resolve:ssm:/golden/image:3', root_volume_size: 20 },
    { launch_template_spec: { ImageId: 'resolve:ssm:/golden/image:3' } },
  ]) {
    test(`${api.name} ${JSON.stringify({ ...more, ...given })}: the order keeps the image that the parameter held`, async (t) => {
      const cloud = await open(t);
      const order = await prepared(api, cloud, { template: { ...more, ...given } as any });
      t.is(await imageOf(cloud, order), held);
      t.is(cloud.calls('GetParameter'), 1);
    });
  }
}

test('without a parameter no parameter is read', async (t) => {
  const cloud = await open(t);
  await prepared(runInstances, cloud);
  t.is(cloud.calls('GetParameter'), 0);
});

test('a parameter is read again after a minute, and once for concurrent orders', async (t) => {
  const cloud = await open(t);
  const ask = () => imageIdOf(cloud.session, '/golden/image', cloud.call);
  const images = await Promise.all([ask(), ask(), ask()]);
  t.deepEqual([...new Set(images)], [imageOfAlias('resolve:ssm:/golden/image')]);
  cloud.simulator.advance(59_999);
  await ask();
  t.is(cloud.calls('GetParameter'), 1);
  cloud.simulator.advance(1);
  await ask();
  t.is(cloud.calls('GetParameter'), 2);
});

const faultFrom = async (promise: Promise<unknown>): Promise<ProviderFault> => {
  const fault = await promise.catch((error: unknown) => error);
  if (!isFault(fault)) throw new Error('There was no fault.');
  return fault;
};

test('a missing parameter is a fault that names it, and is read again by the next order', async (t) => {
  const cloud = await open(t, {}, { cloud_max_retries: 0 });
  for (const image of ['resolve:ssm:/images/missing:2', '/images/missing:2']) {
    const { kind, code, message } = await faultFrom(
      prepared(runInstances, cloud, { template: { image_id: image } as any }),
    );
    t.is(kind, 'invalid');
    t.is(code, 'ParameterNotFound');
    t.is(
      message,
      "The parameter '/images/missing:2', which names the image, does not exist. Error Code: ParameterNotFound",
    );
  }
  t.is(cloud.calls('GetParameter'), 2);
});

test('a parameter call without an answer, throttled or denied has the same kind of fault as other calls', async (t) => {
  for (const [knobs, kind] of [
    [{ throttle: { next: [{ action: 'GetParameter', times: 9 }] } }, 'throttled'],
    [{ auth: { expired: [{}] } }, 'credentials'],
    [{ faults: [{ action: 'GetParameter', times: 9, effect: 'skip', then: 'drop' }] }, 'unavailable'],
  ] as const) {
    const cloud = await open(t, knobs as KnobChange);
    t.is((await faultFrom(imageIdOf(cloud.session, '/a', cloud.call))).kind, kind);
  }
});

test('a parameter that may not be read is a fault of the template, not of the credentials', async (t) => {
  const cloud = await open(t, { auth: { denied: [{ action: 'GetParameter' }] } });
  const { kind, message } = await faultFrom(imageIdOf(cloud.session, '/a', cloud.call));
  t.is(kind, 'invalid');
  t.regex(
    message,
    /^The parameter '\/a', which names the image, may not be read\. .*ssm:GetParameter.* Error Code: AccessDeniedException$/,
  );
});
