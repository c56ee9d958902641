import type { LaunchInterface } from '../../launch/specification/launch-spec.ts';
import type { Instance } from '../../state/instances/instance.ts';

/** `<attachment>` of the interface whose id ends in `suffix`. `more` are further members. */
export function attachmentXml(
  suffix: string,
  { device, card }: Pick<LaunchInterface, 'device' | 'card'>,
  attached: string,
  more = '',
): string {
  return `<attachment><attachmentId>eni-attach-${suffix}</attachmentId>${more}<deviceIndex>${device}</deviceIndex><status>attached</status><attachTime>${attached}</attachTime><deleteOnTermination>true</deleteOnTermination><networkCardIndex>${card}</networkCardIndex></attachment>`;
}

/**
 * The interfaces of a machine beside the first. They have no private addresses here: no address of the subnet is taken
 * for them.
 */
export function furtherInterfacesXml(instance: Instance, groups: string, attached: string): string {
  const { subnet } = instance;
  const suffix = instance.id.slice(2);
  return instance.reservation.spec.network.interfaces
    .slice(1)
    .map((one, index) => {
      const own = ((index + 1).toString(16) + suffix.slice(1)).slice(0, suffix.length);
      return (
        `<item><networkInterfaceId>eni-${own}</networkInterfaceId><subnetId>${subnet.id}</subnetId><vpcId>${subnet.vpcId}</vpcId><status>in-use</status><sourceDestCheck>true</sourceDestCheck>${groups}` +
        `${attachmentXml(own, one, attached)}<interfaceType>${one.type}</interfaceType></item>`
      );
    })
    .join('');
}
