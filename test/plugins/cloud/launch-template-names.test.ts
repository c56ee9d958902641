import test from 'ava';
import fc from 'fast-check';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import {
  contentName,
  nameOf,
  ordersName,
  ownName,
  versionsName,
} from '../../../plugins/cloud/launch-templates/names.ts';
import type { CloudSession } from '../../../plugins/cloud/connection/session.ts';
import { templateStage } from './launch-template-support.ts';

const valid = /^[A-Za-z0-9\-_./()]{3,128}$/;
const session = (installation: string, naming_strategy = 'request_based') =>
  ({ installation, settings: { launch_template: { naming_strategy } } }) as unknown as CloudSession;

const word = fc.oneof(fc.string({ maxLength: 300 }), fc.integer());

test('every name of a launch template is valid for EC2, whatever its parts are', (t) => {
  fc.assert(
    fc.property(fc.array(word), fc.array(fc.oneof(word, fc.constant(null))), (words, identity) =>
      valid.test(nameOf(words, identity)),
    ),
  );
  t.pass();
});

test('no two orders have the same name, however long their ids are and whatever the strategy is', (t) => {
  const id = fc
    .tuple(fc.constantFrom('', 'r', 'r-1', 'x'.repeat(60), 'x'.repeat(200)), fc.stringMatching(/^[a-z0-9-]{1,8}$/))
    .map((each) => each.join(''));
  const order = fc.record({
    installation: id,
    request_id: id,
    attempt: fc.integer({ min: 1, max: 30 }),
    template_id: id,
  });
  fc.assert(
    fc.property(order, order, fc.constantFrom('request_based', 'template_based'), (a, b, strategy) => {
      const name = ({ installation, template_id, ...more }: typeof a) =>
        ownName(session(installation, strategy), { ...more, template: { template_id } });
      const same = a.installation === b.installation && a.request_id === b.request_id && a.attempt === b.attempt;
      return (name(a) === name(b)) === same;
    }),
  );
  t.pass();
});

test('launch templates for different things never share a name', (t) => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (installation, template_id) => {
      const here = session(installation);
      const names = [
        ordersName(here, template_id),
        versionsName(here, template_id, null),
        versionsName(here, template_id, 1),
        contentName(here, template_id, 'c', null),
        contentName(here, template_id, 'c', 1),
        ownName(here, { request_id: template_id, attempt: 1, template: { template_id } }),
        ordersName(session(`${installation}x`), template_id),
      ];
      return new Set(names).size === names.length;
    }),
  );
  t.pass();
});

const begin = /^(.*)-[0-9a-f]{24}$/;
test('naming_strategy request_based: the launch template of an order is named after request and attempt, which its tags repeat', async (t) => {
  const cloud = await templateStage(t);
  const order = await cloud.order(ec2Fleet, {
    attempt: 3,
    template: { template_id: 'workers', fleet_type: 'maintain' } as any,
  });
  const [shelf] = cloud.shelves();
  t.is(begin.exec(shelf?.name ?? '')?.[1], `muster-${order.request_id}-3`);
  t.like(shelf?.tags, {
    'muster:request-id': order.request_id,
    'muster:attempt': '3',
    'muster:installation': 'inst-1',
  });
});

test('naming_strategy template_based: every launch template is named after the template', async (t) => {
  for (const [more, names] of [
    [{}, ['muster-workers', 'muster-workers']],
    [{ version_strategy: 'separate' }, ['muster-workers', 'muster-workers']],
    [{ create_per_request: false }, ['muster-workers-orders', 'muster-workers']],
  ] as const) {
    const cloud = await templateStage(t, { naming_strategy: 'template_based', ...more });
    await cloud.order(ec2Fleet, { template: { template_id: 'workers', fleet_type: 'maintain' } as any });
    await cloud.order(ec2Fleet, { template: { template_id: 'workers' } as any });
    t.deepEqual(
      cloud.shelves().map(({ name }) => begin.exec(name)?.[1]),
      [...names],
    );
  }
});
