import test from 'ava';
import { actions, cloudPage } from '../../../scripts/cloud-page.ts';

test('the guide to the cloud shows the APIs and the policy as the code has them', async (t) => {
  const { written, made } = await cloudPage();
  t.is(written, made, 'Run `node scripts/cloud-page.ts` and look at what changed.');
});

test('the policy knows the calls of every API', (t) => {
  const all = actions();
  for (const action of [
    'ec2:RunInstances',
    'ec2:ModifyFleet',
    'ec2:CancelSpotFleetRequests',
    'autoscaling:UpdateAutoScalingGroup',
    'sts:AssumeRole',
    'ssm:GetParameter',
    'ec2:DeleteLaunchTemplateVersions',
  ])
    t.true(all.includes(action), action);
});

test('the table of features says what reviews say', async (t) => {
  const { made } = await cloudPage();
  const row = (feature: string) =>
    made
      .split('\n')
      .find((line) => line.startsWith('|') && line.includes(feature))
      ?.split(' | ')
      .slice(1)
      .map((cell) => cell.replace(' |', ''));
  t.deepEqual(row('instance_requirements'), ['no', 'yes', 'yes', 'yes', 'yes', 'yes', 'yes']);
  t.deepEqual(row('capacity_reservation'), ['yes', 'yes', 'yes', 'yes', 'no', 'no', 'yes']);
  t.deepEqual(row('replace_lost'), ['no effect', 'no effect', 'no effect', 'yes', 'no effect', 'yes', 'no effect']);
});
