import test from 'ava';
import { isFault, type Launch, type LaunchOrder, type ProviderApi } from '../../../core/index.ts';
import { presentToken } from '../../../core/model/ids.ts';
import { asg } from '../../../plugins/cloud-asg/index.ts';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { runInstances } from '../../../plugins/cloud-runinstances/index.ts';
import { region } from '../../../plugins/cloud/catalogue/index.ts';
import { standingClock } from '../../../plugins/cloud-simulator/clock.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import { spotFleet } from '../../../plugins/cloud-spotfleet/index.ts';
import { prepared, stage, type Stage } from './support.ts';

interface Way {
  readonly title: string;
  readonly api: ProviderApi;
  readonly template: object;
  readonly knobs?: KnobChange;
  /** What the failed call proves about the token. Absent: the API has no token. */
  readonly spent?: 'order' | 'call';
}

const listed = region('us-east-1');
const types = { machine_types: { 'm5.large': 1, 'c5.large': 1 }, subnet_ids: ['subnet-1'] };
const instant = { api: ec2Fleet, template: types };
const ways: readonly Way[] = [
  { title: 'an instant fleet with errors', ...instant, spent: 'order' },
  {
    title: 'an instant fleet that is refused',
    ...instant,
    knobs: { fleets: { missing_template: 'refused' } } as KnobChange,
    spent: 'call',
  },
  { title: 'EC2Fleet maintain', api: ec2Fleet, template: { ...types, fleet_type: 'maintain' }, spent: 'call' },
  { title: 'SpotFleet', api: spotFleet, template: { ...types, price_type: 'spot' }, spent: 'call' },
  { title: 'ASG', api: asg, template: types },
];

/** The calls of an order as the core makes them: each result is stored before the next call. */
function callerOf(api: ProviderApi, order: LaunchOrder<any, any>) {
  const stored = { token: order.token, tokens_spent: 0 };
  return {
    stored,
    async launch(cloud: Stage, session = cloud.session): Promise<Launch | undefined> {
      try {
        return await api.launch(session, { ...order, token: presentToken(stored) }, cloud.call);
      } catch (error) {
        if (!isFault(error) || !['unavailable', 'unknown-outcome'].includes(error.kind)) throw error;
        if (error.token_spent !== undefined) stored.tokens_spent += 1;
        return undefined;
      }
    },
  };
}

async function unseenStage(knobs: KnobChange): Promise<Stage & { pass(ms: number): void }> {
  const clock = standingClock();
  const still = { now: () => clock.now(), monotonic: () => clock.now(), sleep: async () => {} };
  const cloud = await stage({}, { clock: still }, { clock, knobs });
  return { ...cloud, pass: (ms) => clock.advance(ms) };
}

/** Tokens of an action, in the order of the calls. */
const tokensOf = (cloud: Stage) =>
  cloud.simulator
    .audit()
    .filter(({ action }) => action === 'CreateFleet' || action === 'RequestSpotFleet')
    .map(({ token }) => token);

for (const { title, api, template, knobs = {}, spent } of ways) {
  for (const unseen_replay of ['repeat', 'execute'] as const) {
    const reading = `replays of failed calls ${unseen_replay === 'repeat' ? 'repeat the error' : 'are executed'}`;
    const all = { visible_ms: { version: 20_000 }, tokens: { unseen_replay }, ...knobs } as KnobChange;

    test(`${title}: a launch template that is not visible yet is retried until it is: ${reading}`, async (t) => {
      const cloud = await unseenStage(all);
      t.teardown(cloud.close);
      const order = await prepared(api, cloud, { template: template as any, machine_count: 2 });
      const caller = callerOf(api, order);
      for (let call = 0; call < 3; call++) {
        const fault = await t.throwsAsync(
          api.launch(cloud.session, { ...order, token: presentToken(caller.stored) }, cloud.call),
        );
        t.like(fault, { kind: 'unavailable', ...(spent ? { token_spent: spent } : {}) });
        t.is(await caller.launch(cloud), undefined);
      }
      cloud.pass(20_000);
      t.truthy(await caller.launch(cloud));
      cloud.pass(60_000);
      t.is(cloud.simulator.ledger().live[order.request_id]?.length, 2);
    });

    test(`${title}: a lost answer after failed calls doubles no machine after a restart: ${reading}`, async (t) => {
      const cloud = await unseenStage(all);
      t.teardown(cloud.close);
      const order = await prepared(api, cloud, { template: template as any, machine_count: 2 });
      const caller = callerOf(api, order);
      for (let call = 0; call < 3; call++) await caller.launch(cloud);
      cloud.pass(20_000);
      const action = api === asg ? 'CreateAutoScalingGroup' : api === spotFleet ? 'RequestSpotFleet' : 'CreateFleet';
      cloud.simulator.setKnobs({ faults: [{ action, effect: 'execute', then: 'drop' }] });
      t.is(await caller.launch(cloud), undefined);
      const later = await cloud.restarted();
      t.truthy(await caller.launch(cloud, later));
      cloud.pass(60_000);
      t.is(cloud.simulator.ledger().live[order.request_id]?.length, 2);
      if (api === asg) return;
      const tokens = tokensOf(cloud);
      t.deepEqual(
        tokens,
        [0, 1, 2, 3, 3].map((tokens_spent) => presentToken({ token: order.token, tokens_spent })),
      );
    });
  }
}

for (const [title, api, spent] of [
  ['RunInstances', runInstances, 'call'],
  ['an instant fleet', ec2Fleet, 'order'],
] as const) {
  test(`${title}: an instance profile that is not visible yet is retried with another token for two minutes`, async (t) => {
    const cloud = await unseenStage({});
    t.teardown(cloud.close);
    const template = {
      instance_profile: 'new',
      machine_type: 't3.small',
      image_id: listed?.images[0]?.image_id,
      subnet_ids: [listed?.subnets[0]?.subnet_id],
    } as any;
    const order = await prepared(api, cloud, { template });
    cloud.simulator.setKnobs({ strict_ids: true });
    const caller = callerOf(api, order);
    for (let call = 0; call < 3; call++) {
      const token = presentToken(caller.stored);
      const fault = await t.throwsAsync(api.launch(cloud.session, { ...order, token }, cloud.call));
      t.like(fault, { kind: 'unavailable', token_spent: spent });
      await caller.launch(cloud);
    }
    cloud.simulator.setKnobs({ strict_ids: false });
    t.is((await caller.launch(cloud))?.machines?.length, 1);

    const never = await prepared(api, cloud, { template });
    cloud.simulator.setKnobs({ strict_ids: true });
    const denied = callerOf(api, never);
    await denied.launch(cloud);
    cloud.pass(120_000);
    await t.throwsAsync(denied.launch(cloud), { message: /instance profile/i });
  });
}
