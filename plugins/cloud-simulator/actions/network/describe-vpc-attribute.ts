import type { Action } from '../../dispatch/action.ts';
import { missingParameter } from '../../wire/errors.ts';
import { oneOf, required } from '../../wire/values.ts';
import { leaf, node } from '../../wire/xml/xml.ts';
import { checkVpc } from './vpc-ids.ts';

/** The attributes of a default VPC. */
const values = {
  enableDnsSupport: true,
  enableDnsHostnames: true,
  enableNetworkAddressUsageMetrics: false,
} as const;

/** Shows one attribute of the VPC. */
export const describeVpcAttribute: Action = {
  name: 'DescribeVpcAttribute',
  mutating: false,
  handle(call) {
    const id = required(call.params, 'VpcId');
    const name = oneOf(call.params, 'Attribute', Object.keys(values) as (keyof typeof values)[]);
    if (name === undefined) throw missingParameter('Attribute');
    checkVpc(call, id);
    return leaf('vpcId', id) + node(name, leaf('value', values[name]));
  },
};
