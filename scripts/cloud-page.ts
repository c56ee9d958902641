import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from '../core/index.ts';
import { betweenMarks } from './between-marks.ts';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs/guides/cloud.md');
const plugins = ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'cloud-spotfleet', 'cloud-asg'];

/** The page "Amazon's cloud" as it is written, and as it would be with its table of APIs and its policy made anew from the code. */
export async function cloudPage(): Promise<{ readonly written: string; readonly made: string }> {
  const written = readFileSync(page, 'utf8');
  const policy = `\`\`\`json\n${JSON.stringify(policyFor(actions()), null, 2)}\n\`\`\`\n`;
  return { written, made: betweenMarks(betweenMarks(written, 'apis', await table()), 'policy', policy) };
}

/** Every action that the plugins call, as IAM names it. */
export function actions(): string[] {
  const found = new Set<string>();
  for (const file of globSync(`plugins/{${plugins.join(',')}}/**/*.ts`, { cwd: root })) {
    for (const [, sdk, name] of readFileSync(join(root, file), 'utf8').matchAll(/new (?:(ec2|sdk)\.)?([A-Z]\w+)Command\(/g))
      found.add(`${sdk === 'ec2' ? 'ec2' : sdk === 'sdk' ? 'autoscaling' : 'sts'}:${name}`);
  }
  return [...found].toSorted();
}

/** What a policy must allow for these actions, no more where a condition can say less. */
function policyFor(all: readonly string[]): object {
  const own = new Set(['ec2:TerminateInstances', 'ec2:DeleteLaunchTemplate']);
  const looks = all.filter((action) => /:(Describe|Get)/.test(action));
  const roles: readonly string[] = all.filter((action) => action === 'sts:AssumeRole');
  const makes = all.filter((action) => !looks.includes(action) && !own.has(action) && !roles.includes(action));
  const creating = ['RunInstances', 'CreateFleet', 'CreateLaunchTemplate', 'RequestSpotFleet'];
  return {
    Version: '2012-10-17',
    Statement: [
      { Sid: 'Look', Effect: 'Allow', Action: looks, Resource: '*' },
      { Sid: 'MakeAndChange', Effect: 'Allow', Action: makes, Resource: '*' },
      {
        Sid: 'EndWhatIsTagged',
        Effect: 'Allow',
        Action: [...own],
        Resource: '*',
        Condition: { StringLike: { 'aws:ResourceTag/muster:installation': '*' } },
      },
      {
        Sid: 'TagWhatIsMade',
        Effect: 'Allow',
        Action: ['ec2:CreateTags', 'autoscaling:CreateOrUpdateTags'],
        Resource: '*',
        Condition: { StringEqualsIfExists: { 'ec2:CreateAction': creating } },
      },
      {
        Sid: 'GiveMachinesAndFleetsTheirRoles',
        Effect: 'Allow',
        Action: 'iam:PassRole',
        Resource: ['arn:aws:iam::ACCOUNT:role/ROLE-OF-THE-MACHINES', 'arn:aws:iam::ACCOUNT:role/ROLE-OF-SPOT-FLEETS'],
      },
      {
        Sid: 'AssumeTheRoleOfAnInstance',
        Effect: 'Allow',
        Action: roles,
        Resource: 'arn:aws:iam::ACCOUNT:role/ROLE-ARN-OF-THE-CONFIGURATION',
      },
    ],
  };
}

async function table(): Promise<string> {
  const apis = (await Promise.all(plugins.map(async (name) => (await import(`../plugins/${name}/index.ts`)).default as Plugin))).flatMap(
    ({ providerApis = [] }) => providerApis,
  );
  const yes = (is: boolean) => (is ? 'yes' : 'no');
  const rows = apis.map(({ name, capabilities: can }) => [
    name,
    can.supported_fleet_types.join(', ') || '–',
    yes(can.supports_on_demand),
    yes(can.supports_spot),
    can.offers_per_launch === 'one' ? 'one type, subnet and market' : 'all that the template allows',
    String(can.machines_per_launch),
    String(can.max_instances),
  ]);
  const head = ['API', 'Fleet types', 'On-Demand', 'Spot', 'One order names', 'Machines an order', 'Machines a request'];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

if (import.meta.main) writeFileSync(page, (await cloudPage()).made);
