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
  ])
    t.true(all.includes(action), action);
});
