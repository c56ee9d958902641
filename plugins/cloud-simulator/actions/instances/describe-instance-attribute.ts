import type { Action } from '../../dispatch/action.ts';
import { rootDevice } from '../../launch/specification/launch-volumes.ts';
import { type Instance, stateOf } from '../../state/instances/instance.ts';
import { invalidParameter } from '../../wire/errors.ts';
import { groupsXml } from '../../wire/xml/instance-xml.ts';
import { volumesXml } from '../../wire/xml/launch-xml.ts';
import { required } from '../../wire/values.ts';
import { leaf, node } from '../../wire/xml/xml.ts';
import { instancesById } from './instance-ids.ts';

const value = (name: string, text: string | boolean | undefined): string => node(name, leaf('value', text));

/** The XML of each attribute. An attribute that the machine does not have is an empty element. */
const attributes: Readonly<Record<string, (instance: Instance, now: number) => string>> = {
  blockDeviceMapping: (instance, now) =>
    stateOf(instance, now) === 'terminated'
      ? '<blockDeviceMapping/>'
      : volumesXml(instance, new Date(instance.launchedAt).toISOString()),
  disableApiStop: ({ reservation: { spec } }) => value('disableApiStop', spec.options.stopGuarded),
  disableApiTermination: ({ reservation: { spec } }) => value('disableApiTermination', spec.guarded),
  ebsOptimized: ({ reservation: { spec } }) => value('ebsOptimized', spec.options.ebsOptimized),
  enaSupport: () => value('enaSupport', true),
  enclaveOptions: ({ reservation: { spec } }) => node('enclaveOptions', leaf('enabled', spec.options.enclave)),
  groupSet: ({ reservation: { spec } }) => groupsXml(spec.network.groups),
  instanceInitiatedShutdownBehavior: ({ reservation: { spec } }) =>
    value('instanceInitiatedShutdownBehavior', spec.options.shutdownBehavior),
  instanceType: ({ reservation: { spec } }) => value('instanceType', spec.type.instance_type),
  kernel: () => '<kernel/>',
  productCodes: () => '<productCodes/>',
  ramdisk: () => '<ramdisk/>',
  rootDeviceName: () => value('rootDeviceName', rootDevice),
  sourceDestCheck: ({ reservation: { spec } }) => value('sourceDestCheck', spec.options.sourceDestCheck),
  sriovNetSupport: () => '<sriovNetSupport/>',
  userData: ({ reservation: { spec } }) =>
    spec.userData === undefined ? '<userData/>' : value('userData', spec.userData),
};

/** Shows one attribute of a machine. */
export const describeInstanceAttribute: Action = {
  name: 'DescribeInstanceAttribute',
  mutating: false,
  handle(call) {
    const id = required(call.params, 'InstanceId');
    const name = required(call.params, 'Attribute');
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (attribute === undefined) throw invalidParameter(`Value (${name}) for parameter attribute is invalid.`);
    const [instance] = instancesById(call, [id]) as [Instance];
    return leaf('instanceId', id) + attribute(instance, call.now);
  },
};
