import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ec2 from '@aws-sdk/client-ec2';
import test from 'ava';
import { openCloud } from './support.ts';

const models = join(import.meta.dirname, '../../../node_modules/@aws-sdk/client-ec2/dist-types/models');
const source = globSync('models_*.d.ts', { cwd: models })
  .toSorted()
  .map((file) => readFileSync(join(models, file), 'utf8'))
  .join('');

/** The filters that the SDK's documentation of an action lists: the first word of each entry of its outer list. */
function documented(action: string): string[] {
  const [, body = ''] = new RegExp(`export interface ${action}Request \\{([^]*?)\\n\\}`).exec(source) ?? [];
  const at = body.indexOf('Filters?:');
  const comment = body.slice(body.lastIndexOf('/**', at), at);
  const names: string[] = [];
  let depth = 0;
  let isFirst = false;
  for (const [, close, tag, word] of comment.matchAll(/<(\/)?(ul|li)>|<code>([^]*?)<\/code>/g)) {
    if (tag === 'ul') depth += close === undefined ? 1 : -1;
    else if (tag === 'li' && close === undefined && depth === 1) isFirst = true;
    else if (word !== undefined && depth === 1 && isFirst) {
      names.push(word);
      isFirst = false;
    }
  }
  // `tag:<key>` stands for a filter of any key, and so does `tag` in older texts.
  return names.map((name) => (name === 'tag' || name.startsWith('tag:') ? 'tag:one' : name));
}

const least: Readonly<Record<string, number>> = {
  DescribeAddresses: 9,
  DescribeAvailabilityZones: 10,
  DescribeImages: 50,
  DescribeInstanceStatus: 15,
  DescribeInstanceTypeOfferings: 2,
  DescribeInstanceTypes: 56,
  DescribeInstances: 135,
  DescribeKeyPairs: 5,
  DescribeLaunchTemplates: 4,
  DescribeNetworkInterfaces: 36,
  DescribeRegions: 3,
  DescribeSecurityGroups: 24,
  DescribeSpotInstanceRequests: 40,
  DescribeSpotPriceHistory: 5,
  DescribeSubnets: 25,
  DescribeTags: 4,
  DescribeVolumes: 20,
  DescribeVpcClassicLink: 3,
  DescribeVpcs: 15,
};

for (const [action, count] of Object.entries(least)) {
  test(`${action} takes every filter that AWS documents`, async (t) => {
    const cloud = await openCloud(t);
    const names = documented(action);
    t.true(names.length >= count, `${names.length} filters in the documentation`);
    const Command = (ec2 as unknown as Record<string, new (input: object) => ec2.DescribeInstancesCommand>)[
      `${action}Command`
    ];
    if (Command === undefined) throw new Error(`The SDK has no ${action}.`);
    const refused: string[] = [];
    for (const Name of names)
      await cloud.ec2
        .send(new Command({ Filters: [{ Name, Values: ['none'] }] }))
        .catch((error: Error) => refused.push(`${Name}: ${error.message}`));
    t.deepEqual(refused, []);
  });
}
