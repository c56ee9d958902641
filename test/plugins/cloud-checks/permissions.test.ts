import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import test from 'ava';
import { ProviderFault, type Call } from '../../../core/index.ts';
import { drySession, type DryCall } from '../../../plugins/cloud/checks/dry-session.ts';
import { ownResourceActions } from '../../../plugins/cloud/checks/own-resource-actions.ts';
import { permissionsCheck } from '../../../plugins/cloud/checks/permissions.ts';
import type { CloudSession } from '../../../plugins/cloud/connection/session.ts';
import { check, template } from './support.ts';

const all = ['RunInstances', 'EC2Fleet', 'SpotFleet', 'ASG'].map((name) => template(name));
const standing = [
  template('EC2Fleet', { template_id: 'request', fleet_type: 'request' }),
  template('EC2Fleet', { template_id: 'maintain', fleet_type: 'maintain', price_type: 'spot' }),
];

test('with all permissions every call of every API is permitted, and nothing comes to be', async (t) => {
  const { results, stand } = await check('permissions', {}, [...all, ...standing]);
  t.deepEqual(
    results.filter(({ level }) => level === 'error'),
    [],
  );
  t.regex(results[0]?.message ?? '', /^AWS permits \d+ dry runs of the calls of 6 templates\.$/);
  const { live, templates, fleets, groups } = stand.simulator.ledger() as any;
  t.deepEqual([live, templates, fleets ?? [], groups ?? []], [{}, [], [], []]);
  const executed = stand.simulator
    .audit()
    .filter(({ action, code }) => !/^(Describe|Get)/.test(action) && code === undefined);
  t.deepEqual(executed, []);
});

test('what Auto Scaling has no dry run of is said to be untried', async (t) => {
  const { results } = await check('permissions', {}, [template('ASG')]);
  const [untried] = results.filter(({ level }) => level === 'warning');
  t.regex(untried?.message ?? '', /CreateAutoScalingGroup.* cannot be tried: AWS has no dry run.*template 'asg'/);
});

for (const [action, api] of [
  ['RunInstances', 'RunInstances'],
  ['RunInstances', 'EC2Fleet'],
  ['RunInstances', 'ASG'],
  ['CreateFleet', 'EC2Fleet'],
  ['CreateLaunchTemplate', 'EC2Fleet'],
  ['CreateLaunchTemplate', 'ASG'],
  ['DescribeLaunchTemplates', 'EC2Fleet'],
  ['RequestSpotFleet', 'SpotFleet'],
  ['CancelSpotFleetRequests', 'SpotFleet'],
  ['DescribeInstances', 'RunInstances'],
] as const)
  test(`${api}: a missing permission for ${action} is an error that names it and the template`, async (t) => {
    const { results } = await check('permissions', { auth: { denied: [{ action }] } }, [template(api)]);
    const errors = results.filter(({ level }) => level === 'error').map(({ message }) => message);
    const named = errors.find((message) =>
      message.startsWith(`${action} is denied: template '${api.toLowerCase()}'.`),
    );
    t.truthy(named, JSON.stringify(results));
  });

test('with the documented policy, which goes by the tags of resources, nothing is an error', async (t) => {
  const denied = [...ownResourceActions].map((action) => ({ action, untagged: 'muster:installation' }));
  const { results } = await check('permissions', { auth: { denied } }, [...all, ...standing]);
  t.deepEqual(
    results.filter(({ level }) => level === 'error'),
    [],
  );
  const unclear = results.filter(({ message }) => /^TerminateInstances.* cannot be tried: denied/.test(message));
  t.deepEqual(
    unclear.map(({ level }) => level),
    ['warning'],
  );
  t.regex(unclear[0]?.remedy ?? '', /tag muster:installation/);
});

for (const api of ['RunInstances', 'EC2Fleet'])
  test(`${api}: without TerminateInstances there is a warning: its policy may go by tags`, async (t) => {
    const { results } = await check('permissions', { auth: { denied: [{ action: 'TerminateInstances' }] } }, [
      template(api),
    ]);
    t.true(
      results.some(({ level, message }) => level === 'warning' && message.startsWith('TerminateInstances cannot be')),
      JSON.stringify(results),
    );
  });

for (const [words, outcome] of [
  ['because no identity-based policy allows the ec2:TerminateInstances action', 'unclear'],
  ['with an explicit deny in a service control policy', 'denied'],
])
  test(`a denial ${words} is ${outcome}`, async (t) => {
    const message = `You are not authorized to perform: ec2:TerminateInstances ${words}.`;
    const session = {
      read(make: (ec2: object) => object) {
        make({ TerminateInstancesCommand });
        return Promise.reject(new ProviderFault('invalid', message, { code: 'UnauthorizedOperation' }));
      },
      groups: {},
      queues: {},
    };
    const calls: DryCall[] = [];
    const dry = drySession(session as unknown as CloudSession, (call) => calls.push(call));
    const InstanceIds = ['i-00000000000000000'];
    await dry.write((ec2) => new ec2.TerminateInstancesCommand({ InstanceIds }), {} as Call);
    t.deepEqual(
      calls.map((call) => [call.action, call.outcome]),
      [['TerminateInstances', outcome]],
    );
  });

for (const [action, fleet_type] of [
  ['DeleteFleets', 'request'],
  ['DeleteFleets', 'maintain'],
  ['ModifyFleet', 'maintain'],
] as const)
  test(`a fleet of type ${fleet_type} needs ${action}`, async (t) => {
    const { results } = await check('permissions', { auth: { denied: [{ action }] } }, [
      template('EC2Fleet', { fleet_type }),
    ]);
    const denied = results.some(
      ({ level, message }) => level === 'error' && message.startsWith(`${action} is denied`),
    );
    t.true(denied, JSON.stringify(results));
  });

test('a denial of one image or one subnet is found with the parameters of the template', async (t) => {
  for (const narrow of [{ image: 'ami-1' }, { subnet: 'subnet-2' }]) {
    const knobs = { auth: { denied: [{ action: 'RunInstances', ...narrow }] } };
    const { results } = await check('permissions', knobs, [template('RunInstances')]);
    t.true(
      results.some(({ level, message }) => level === 'error' && message.startsWith('RunInstances is denied')),
      JSON.stringify(results),
    );
  }
});

test('parameters that AWS refuses are an error of the template', async (t) => {
  const { results } = await check('permissions', { strict_ids: true }, [
    template('RunInstances', { key_name: 'gone' }),
  ]);
  t.true(
    results.some(({ level, message }) => level === 'error' && message.startsWith("Template 'runinstances': ")),
    JSON.stringify(results),
  );
});

test('a remedy that names the page with the policy says where it lies on this computer', async (t) => {
  const denied = [{ action: 'CreateFleet' }, { action: 'TerminateInstances' }];
  const { results } = await check('permissions', { auth: { denied } }, [template('EC2Fleet'), template('ASG')]);
  const remedies = [permissionsCheck.remedy, ...results.flatMap(({ remedy }) => remedy ?? [])];
  const pages = remedies.flatMap((remedy) => remedy.match(/\S+aws-permissions\.md/)?.[0] ?? []);
  t.true(pages.length > 2, JSON.stringify(remedies));
  for (const page of pages) t.true(isAbsolute(page) && existsSync(page), page);
});
