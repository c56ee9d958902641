import { readFileSync } from 'node:fs';
import test from 'ava';
import { actions } from '../../../scripts/pages/cloud/policy.ts';

test('the policy in the guide allows the calls of every API', (t) => {
  const all = actions();
  for (const action of [
    'ec2:RunInstances',
    'ec2:ModifyFleet',
    'ec2:CancelSpotFleetRequests',
    'autoscaling:UpdateAutoScalingGroup',
    'sts:AssumeRole',
    'ssm:GetParameter',
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'ec2:DeleteLaunchTemplateVersions',
  ])
    t.true(all.includes(action), action);
});

test('the table of features in the guide agrees with the reviews', (t) => {
  const made = readFileSync(new URL('../../../docs/guides/aws.md', import.meta.url), 'utf8');
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
