import type { ActionCall } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';

/** The VPCs that `VpcId.N` names, or else all of the region. */
export function namedVpcs(call: ActionCall): readonly string[] {
  const ids = texts(call.params, 'VpcId');
  for (const id of ids) checkVpc(call, id);
  return ids.length > 0 ? [...new Set(ids)] : call.state.network.vpcs().map(({ id }) => id);
}

/** Throws InvalidVpcID.NotFound unless an id is that of a VPC of the region. */
export function checkVpc(call: ActionCall, id: string): void {
  if (!call.state.network.vpcs().some((vpc) => vpc.id === id))
    throw new AwsError('InvalidVpcID.NotFound', `The vpc ID '${id}' does not exist`);
}
