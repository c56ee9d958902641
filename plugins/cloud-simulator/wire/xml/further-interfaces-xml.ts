import type { LaunchInterface } from '../../launch/specification/launch-spec.ts';
import type { Subnet } from '../../state/network/subnets.ts';

/** `<attachment>` of the interface whose id ends in `suffix`. */
export function attachmentXml(suffix: string, device: number, card: number): string {
  return `<attachment><attachmentId>eni-attach-${suffix}</attachmentId><deviceIndex>${device}</deviceIndex><status>attached</status><deleteOnTermination>true</deleteOnTermination><networkCardIndex>${card}</networkCardIndex></attachment>`;
}

/**
 * The interfaces of a machine beside the first. They have no private addresses here: no address of the subnet is taken
 * for them.
 */
export function furtherInterfacesXml(
  interfaces: readonly LaunchInterface[],
  subnet: Subnet,
  suffix: string,
  groups: string,
): string {
  return interfaces
    .slice(1)
    .map(({ type, device, card }, index) => {
      const own = ((index + 1).toString(16) + suffix.slice(1)).slice(0, suffix.length);
      return (
        `<item><networkInterfaceId>eni-${own}</networkInterfaceId><subnetId>${subnet.id}</subnetId><vpcId>${subnet.vpcId}</vpcId><status>in-use</status><sourceDestCheck>true</sourceDestCheck>${groups}` +
        `${attachmentXml(own, device, card)}<interfaceType>${type}</interfaceType></item>`
      );
    })
    .join('');
}
