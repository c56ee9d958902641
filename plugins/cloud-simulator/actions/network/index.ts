import type { Action } from '../../dispatch/action.ts';
import { describeAddresses } from './describe-addresses.ts';
import { describeNetworkInterfaces } from './describe-network-interfaces.ts';
import { describeVpcAttribute } from './describe-vpc-attribute.ts';
import { describeVpcClassicLinkDnsSupport } from './describe-vpc-classic-link-dns-support.ts';
import { describeVpcClassicLink } from './describe-vpc-classic-link.ts';

export const networkActions: readonly Action[] = [
  describeAddresses,
  describeNetworkInterfaces,
  describeVpcAttribute,
  describeVpcClassicLink,
  describeVpcClassicLinkDnsSupport,
];
