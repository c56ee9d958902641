import {
  DescribeVpcAttributeCommand,
  DescribeVpcClassicLinkCommand,
  DescribeVpcClassicLinkDnsSupportCommand,
  DescribeVpcsCommand,
  type VpcAttributeName,
} from '@aws-sdk/client-ec2';
import test from 'ava';
import { codeOf, openCloud } from './support.ts';

test('the VPC has DNS, and no ClassicLink', async (t) => {
  const { ec2 } = await openCloud(t);
  const id = (await ec2.send(new DescribeVpcsCommand({}))).Vpcs?.[0]?.VpcId ?? '';
  const attribute = (Attribute: VpcAttributeName, VpcId = id) =>
    ec2.send(new DescribeVpcAttributeCommand({ VpcId, Attribute }));
  t.like(await attribute('enableDnsSupport'), { VpcId: id, EnableDnsSupport: { Value: true } });
  t.like(await attribute('enableDnsHostnames'), { EnableDnsHostnames: { Value: true } });
  t.is(await codeOf(attribute('color' as VpcAttributeName)), 'InvalidParameterValue');
  t.is(await codeOf(attribute('enableDnsSupport', 'vpc-1')), 'InvalidVpcID.NotFound');
  const link = (input = {}) => ec2.send(new DescribeVpcClassicLinkCommand(input));
  t.like((await link({ VpcIds: [id] })).Vpcs?.[0], { VpcId: id, ClassicLinkEnabled: false });
  t.deepEqual((await link({ Filters: [{ Name: 'is-classic-link-enabled', Values: ['true'] }] })).Vpcs, []);
  t.is(await codeOf(link({ VpcIds: ['vpc-1'] })), 'InvalidVpcID.NotFound');
  const dns = (input = {}) => ec2.send(new DescribeVpcClassicLinkDnsSupportCommand(input));
  t.like((await dns()).Vpcs?.[0], { VpcId: id, ClassicLinkDnsSupported: false });
  t.is(await codeOf(dns({ VpcIds: ['vpc-1'] })), 'InvalidVpcID.NotFound');
});
