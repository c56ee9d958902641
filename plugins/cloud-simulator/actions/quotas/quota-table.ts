import type { ActionCall } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';

/** A quota as the answers of Service Quotas show it. */
export interface ServiceQuota {
  readonly QuotaArn: string;
  readonly QuotaCode: string;
  readonly QuotaName: string;
  readonly ServiceCode: string;
  readonly ServiceName: string;
  readonly Value: number;
  readonly Unit: string;
  readonly Adjustable: boolean;
  readonly GlobalQuota: boolean;
}

/** The quotas of EC2 that a launch needs, with the values of an account that was used for some time, in vCPUs. */
const defaultQuotas: Readonly<Record<string, { readonly name: string; readonly value: number }>> = {
  'L-1216C47A': { name: 'Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances', value: 1152 },
  'L-34B43A08': { name: 'All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests', value: 1152 },
  'L-DB2E81BA': { name: 'Running On-Demand G and VT instances', value: 64 },
  'L-3819A6DF': { name: 'All G and VT Spot Instance Requests', value: 64 },
  'L-417A185B': { name: 'Running On-Demand P instances', value: 64 },
  'L-7212CCBC': { name: 'All P4, P3 and P2 Spot Instance Requests', value: 64 },
  'L-7295265B': { name: 'Running On-Demand X instances', value: 128 },
  'L-E3A00192': { name: 'All X Spot Instance Requests', value: 128 },
  'L-74FC7D96': { name: 'Running On-Demand F instances', value: 128 },
  'L-88CF9481': { name: 'All F Spot Instance Requests', value: 128 },
  'L-1945791B': { name: 'Running On-Demand Inf instances', value: 128 },
  'L-B5D1601B': { name: 'All Inf Spot Instance Requests', value: 128 },
};

/** All quotas of the service that a call names. Throws NoSuchResourceException for another service than EC2. */
export function quotasOf({ params, knobs, state }: ActionCall): readonly ServiceQuota[] {
  const service = text(params, 'ServiceCode');
  if (service !== 'ec2')
    throw new AwsError('NoSuchResourceException', `The request failed because the service ${service} does not exist.`);
  return Object.entries(defaultQuotas).map(([code, { name, value }]) => ({
    QuotaArn: `arn:aws:servicequotas:${state.region}:${state.account}:ec2/${code}`,
    QuotaCode: code,
    QuotaName: name,
    ServiceCode: 'ec2',
    ServiceName: 'Amazon Elastic Compute Cloud (Amazon EC2)',
    Value: knobs.service_quotas[code] ?? value,
    Unit: 'None',
    Adjustable: true,
    GlobalQuota: false,
  }));
}
