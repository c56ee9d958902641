import type { ActionCall } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { texts } from '../../wire/form.ts';

/** The VPCs that `VpcId.N` names, or else the only VPC of the region; any other id is unknown. */
export function namedVpcs(call: ActionCall): readonly string[] {
  const ids = texts(call.params, 'VpcId');
  for (const id of ids) checkVpc(call, id);
  return ids.length > 0 ? [...new Set(ids)] : [call.state.network.catalogue.vpc_id];
}

/** Throws InvalidVpcID.NotFound unless an id is that of the region's VPC. */
export function checkVpc(call: ActionCall, id: string): void {
  if (id !== call.state.network.catalogue.vpc_id)
    throw new AwsError('InvalidVpcID.NotFound', `The vpc ID '${id}' does not exist`);
}
