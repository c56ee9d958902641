import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import test, { type ExecutionContext } from 'ava';
import { checkAnswers } from './model-check.ts';

const credentials = { accessKeyId: 'AKIATEST0001', secretAccessKey: 'secret' };

/** A service that gives the same answer to everything. */
async function answering(t: ExecutionContext, status: number, body: string): Promise<string> {
  const server = createServer((_req, res) => void res.writeHead(status, { 'content-type': 'text/xml' }).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const instances = (inner: string) =>
  `<DescribeInstancesResponse><requestId>r</requestId><reservationSet><item>${inner}</item></reservationSet></DescribeInstancesResponse>`;

for (const [fault, status, body, path] of [
  [
    'an element of no member',
    200,
    instances('<reservationID>r-1</reservationID>'),
    'DescribeInstances/reservationSet/item/reservationID',
  ],
  [
    'a time without its zone',
    200,
    instances('<instancesSet><item><launchTime>2026-01-01T00:00:00</launchTime></item></instancesSet>'),
    'is no time with its zone',
  ],
  ['a list entry of another name', 200, instances('<groupSet><member/></groupSet>'), 'groupSet/member'],
  [
    'an error without a code',
    400,
    '<Response><Errors><Error><Message>no</Message></Error></Errors></Response>',
    'without code',
  ],
] as const) {
  test(`the check of answers finds ${fault}`, async (t) => {
    const ec2 = new EC2Client({
      endpoint: await answering(t, status, body),
      region: 'us-east-1',
      credentials,
      maxAttempts: 1,
    });
    checkAnswers(ec2);
    const error = await t.throwsAsync(ec2.send(new DescribeInstancesCommand({})));
    t.true(error?.message.includes(path), error?.message);
  });
}

test('the check of answers finds an Auto Scaling answer without its wrapper, which the SDK reads as empty', async (t) => {
  const body =
    '<DescribeAutoScalingGroupsResponse><AutoScalingGroups><member/></AutoScalingGroups></DescribeAutoScalingGroupsResponse>';
  const endpoint = await answering(t, 200, body);
  const unchecked = new AutoScalingClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  t.is((await unchecked.send(new DescribeAutoScalingGroupsCommand({}))).AutoScalingGroups, undefined);
  const checked = new AutoScalingClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  checkAnswers(checked);
  await t.throwsAsync(checked.send(new DescribeAutoScalingGroupsCommand({})), { message: /wrapper/ });
});
