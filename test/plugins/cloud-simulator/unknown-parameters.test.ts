import test from 'ava';
import { openCloud } from './support.ts';

const authorization =
  'AWS4-HMAC-SHA256 Credential=AKIATEST0001/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0';

/** The code and the message of the refusal of a call; undefined if it is not refused. */
async function refusalOf(url: string, body: string): Promise<readonly [string, string] | undefined> {
  const answer = await fetch(url, { method: 'POST', headers: { authorization }, body });
  const text = await answer.text();
  const [, code = '', message = ''] = /<Code>(.*?)<\/Code><Message>(.*?)<\/Message>/.exec(text) ?? [];
  return code === '' ? undefined : [code, message];
}

for (const [body, unknown] of [
  ['Action=DescribeRegions&RegionNames.1=us-east-1', 'RegionNames'],
  ['Action=DescribeInstances&Filter.1.Name=vpc-id&Filter.1.Values.1=x', 'Filter.1.Values'],
  ['Action=DescribeInstances&Filter.Name=vpc-id', 'Filter.Name'],
  ['Action=RunInstances&MinCount=1&MaxCount=1&ImageID=ami-1', 'ImageID'],
  [
    'Action=RunInstances&MinCount=1&MaxCount=1&ImageId=ami-1&NetworkInterface.1.DeviceIndex=0&NetworkInterface.1.Color=x',
    'NetworkInterface.1.Color',
  ],
  [
    'Action=CreateLaunchTemplate&LaunchTemplateName=one&LaunchTemplateData.InstanceRequirements.VCpuCount.Most=4',
    'LaunchTemplateData.InstanceRequirements.VCpuCount.Most',
  ],
  ['Action=CreateFleet&LaunchTemplateConfigs.1.Overrides.1.Zone=a', 'LaunchTemplateConfigs.1.Overrides.1.Zone'],
  ['Action=ModifyFleet&FleetId=fleet-1&LaunchTemplateConfigs.1.Overrides.1.Priority=1', 'LaunchTemplateConfigs'],
] as const) {
  test(`the parameter ${unknown} of ${body.slice('Action='.length).split('&')[0]} is unknown`, async (t) => {
    const { simulator } = await openCloud(t);
    t.deepEqual(await refusalOf(simulator.url, `Version=2016-11-15&${body}`), [
      'UnknownParameter',
      `The parameter ${unknown} is not recognized`,
    ]);
    t.deepEqual(simulator.ledger().untagged, []);
  });
}

test('an unknown parameter is refused before a dry run is, and parts of old signatures are none', async (t) => {
  const { simulator } = await openCloud(t);
  const call = (rest: string) => refusalOf(simulator.url, `Version=2016-11-15&Action=DescribeRegions&${rest}`);
  t.is((await call('DryRun=true&Color=red'))?.[0], 'UnknownParameter');
  t.is(await call('AWSAccessKeyId=A&Signature=x&SignatureVersion=2&Timestamp=2026&X-Amz-Expires=5'), undefined);
  t.is(await call('Filter='), undefined);
});

test('Auto Scaling ignores unknown parameters', async (t) => {
  const { simulator } = await openCloud(t);
  t.is(await refusalOf(simulator.url, 'Version=2011-01-01&Action=DescribeAccountLimits&Color=red'), undefined);
});
