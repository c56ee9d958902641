import test from 'ava';
import fc from 'fast-check';
import { ec2Fleet } from '../../../plugins/cloud-ec2fleet/index.ts';
import { hourMs, templateStage, weekMs } from './launch-template-support.ts';

const like = (key_name: string, template_id = 't') => ({ template: { template_id, key_name } as any });
const numbers = (cloud: Awaited<ReturnType<typeof templateStage>>) =>
  cloud.shelves().map(({ versions }) => Object.keys(versions).join(' '));
const cleaning = { cleanup_old_versions: true, max_versions_per_template: 2 };

test('the oldest versions beyond the maximum are deleted once no order can use them, and not an hour earlier', async (t) => {
  for (const [after, left] of [
    [weekMs + 25 * hourMs, '1 2 3 4 5'],
    [weekMs + 25 * hourMs + 1, '4 5'],
  ] as const) {
    const cloud = await templateStage(t, cleaning);
    for (const key of ['a', 'b', 'c']) await cloud.order(ec2Fleet, like(key));
    cloud.simulator.advance(weekMs);
    await cloud.order(ec2Fleet, like('d'));
    cloud.simulator.advance(after - weekMs);
    t.deepEqual(numbers(cloud), ['1 2 3 4']);
    await cloud.order(ec2Fleet, like('e'));
    t.deepEqual(numbers(cloud), [left]);
    t.is(cloud.shelves()[0]?.default, left === '4 5' ? 5 : 1);
  }
});

test('old versions stay while the maximum is not exceeded, and all stay without the setting', async (t) => {
  for (const settings of [{ cleanup_old_versions: true }, { max_versions_per_template: 1 }]) {
    const cloud = await templateStage(t, settings);
    for (const key of ['a', 'b', 'c']) {
      await cloud.order(ec2Fleet, like(key));
      cloud.simulator.advance(weekMs);
    }
    cloud.simulator.advance(weekMs);
    await cloud.order(ec2Fleet, like('d', 'another'));
    t.is(cloud.calls('DeleteLaunchTemplateVersions'), 0);
    t.is(numbers(cloud).length, settings.cleanup_old_versions ? 1 : 2);
  }
});

test('very many old versions are deleted in several calls', async (t) => {
  const cloud = await templateStage(t, { ...cleaning, max_versions_per_template: 1 });
  const { prepared } = await cloud.order(ec2Fleet, like('a'));
  const { id: LaunchTemplateId } = prepared.template;
  const VersionDescription = cloud.shelves()[0]?.versions[1];
  for (let i = 0; i < 250; i++)
    await cloud.session.write(
      (ec2) =>
        new ec2.CreateLaunchTemplateVersionCommand({
          LaunchTemplateId,
          LaunchTemplateData: { ImageId: 'ami-1' },
          VersionDescription,
        }),
      cloud.call,
    );
  cloud.simulator.advance(weekMs);
  await cloud.order(ec2Fleet, like('b'));
  cloud.simulator.advance(30 * hourMs);
  await cloud.order(ec2Fleet, like('c'));
  t.deepEqual(numbers(cloud), ['252 253']);
  t.is(cloud.calls('DeleteLaunchTemplateVersions'), 2);
});

test('versions without the description of muster stay', async (t) => {
  const cloud = await templateStage(t, { ...cleaning, max_versions_per_template: 1 });
  const { prepared } = await cloud.order(ec2Fleet, like('a'));
  const { id: LaunchTemplateId } = prepared.template;
  await cloud.session.write(
    (ec2) =>
      new ec2.CreateLaunchTemplateVersionCommand({ LaunchTemplateId, LaunchTemplateData: { ImageId: 'ami-1' } }),
    cloud.call,
  );
  cloud.simulator.advance(2 * weekMs);
  await cloud.order(ec2Fleet, like('b'));
  t.deepEqual(numbers(cloud), ['2 3']);
});

for (const version_strategy of ['incremental', 'separate']) {
  test(`${version_strategy}: launch templates of templates that nobody uses any more go`, async (t) => {
    const cloud = await templateStage(t, { ...cleaning, version_strategy });
    const old = await cloud.order(ec2Fleet, like('a', 'old'));
    const used = await cloud.order(ec2Fleet, like('b', 'used'));
    const own = await cloud.order(ec2Fleet, { template: { fleet_type: 'maintain' } as any });
    const foreign = await cloud.order(ec2Fleet, like('a', 'old'), await cloud.another('inst-2'));
    cloud.simulator.advance(weekMs);
    await cloud.order(ec2Fleet, like('b', 'used'));
    cloud.simulator.advance(25 * hourMs + 1);
    await cloud.order(ec2Fleet, like('c', 'another'));
    const there = async (order: typeof old) =>
      (await cloud.version(order.prepared.template).catch(() => undefined)) !== undefined;
    t.false(await there(old));
    t.true(await there(own));
    t.true(await there(foreign));
    // Of separate contents those of the week before go; of versions of one launch template the newest keeps it.
    t.is(await there(used), version_strategy === 'incremental');
    const again = await cloud.order(ec2Fleet, like('a', 'old'), await cloud.another());
    t.true(await there(again));
  });
}

test('a launch template that is soon deleted is not used any more', async (t) => {
  for (const [after, same] of [
    [weekMs + 20 * hourMs, true],
    [weekMs + 20 * hourMs + 1, false],
  ] as const) {
    const cloud = await templateStage(t, cleaning);
    const before = await cloud.order(ec2Fleet, like('a'));
    cloud.simulator.advance(after);
    const order = await cloud.order(ec2Fleet, like('a'));
    t.is(order.prepared.template.id === before.prepared.template.id, same);
  }
});

test('a clean-up that fails or is interrupted is continued by the next one, and the order is prepared', async (t) => {
  for (const action of ['ModifyLaunchTemplate', 'DeleteLaunchTemplateVersions', 'DeleteLaunchTemplate'] as const)
    for (const effect of ['skip', 'execute'] as const) {
      const cloud = await templateStage(t, { ...cleaning, max_versions_per_template: 1 });
      for (const [key, id] of [
        ['a', 't'],
        ['b', 't'],
        ['z', 'old'],
      ] as const)
        await cloud.order(ec2Fleet, like(key, id));
      cloud.simulator.advance(weekMs);
      await cloud.order(ec2Fleet, like('c'));
      cloud.simulator.advance(26 * hourMs);
      cloud.simulator.setKnobs({ faults: [{ action, effect, then: 'drop' }] });
      await cloud.order(ec2Fleet, like('d'));
      cloud.simulator.advance(2 * hourMs);
      await cloud.order(ec2Fleet, like('e'), await cloud.another());
      t.deepEqual(numbers(cloud), ['3 4 5'], `${action} ${effect}`);
    }
});

test('a launch template that was prepared within a day exists, whatever is ordered meanwhile', async (t) => {
  const step = fc.record({
    wait: fc.constantFrom(0, hourMs, 20 * hourMs, 24 * hourMs, 30 * hourMs, 3 * 24 * hourMs, weekMs, 8 * 24 * hourMs),
    key: fc.constantFrom('a', 'b'),
    template_id: fc.constantFrom('t', 'u'),
    who: fc.constantFrom(0, 1),
  });
  const strategy = fc.constantFrom('incremental', 'separate');
  const run = async (
    steps: { wait: number; key: string; template_id: string; who: number }[],
    version_strategy: string,
  ) => {
    const cloud = await templateStage(t, {
      cleanup_old_versions: true,
      max_versions_per_template: 1,
      version_strategy,
    });
    const sessions = [cloud, await cloud.another()];
    const prepared: { used: { id: string; version: string }; key: string; at: number }[] = [];
    for (const { wait, key, template_id, who } of steps) {
      cloud.simulator.advance(wait);
      const order = await cloud.order(ec2Fleet, like(key, template_id), sessions[who]);
      prepared.push({ used: order.prepared.template, key, at: cloud.simulator.clock.now() });
      for (const { used, key: wanted, at } of prepared) {
        if (cloud.simulator.clock.now() - at > 24 * hourMs) continue;
        const found = await cloud.version(used).catch(() => undefined);
        if (found?.LaunchTemplateData?.KeyName !== wanted) return false;
      }
    }
    await cloud.close();
    return true;
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), strategy, run), { numRuns: 25 });
  t.pass();
});
