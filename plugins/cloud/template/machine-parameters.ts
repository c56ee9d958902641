import type { BlockDeviceMapping } from '@aws-sdk/client-ec2';
import { overlay } from './overlay.ts';

type Tree = Readonly<Record<string, unknown>>;

/** Where the parameters of machines come from. Each source overrides those before it. */
export interface Sources {
  /** The contents of the launch template that the template names; empty without one. */
  readonly named: Tree;
  /** The fields of the template. */
  readonly fields: Tree;
  /** The native specifications of the template. */
  readonly natives: readonly (Tree | undefined)[];
  /** Whether the call that starts the machines names their subnets, so that an interface must name none. */
  readonly placed?: boolean;
}

/**
 * The parameters of machines. Fields override the named launch template parameter by parameter, except that volumes
 * are merged by their device, and that groups and subnet go into its first network interface. A list of a native
 * specification replaces the whole list.
 */
export function machineParameters({ named, fields, natives, placed = false }: Sources): Record<string, unknown> {
  const ownInterfaces = natives.some((native) => native?.['NetworkInterfaces'] !== undefined);
  const { NetworkInterfaces, ...rest } = named;
  let laid: Record<string, unknown> = {
    ...rest,
    ...(ownInterfaces || NetworkInterfaces === undefined
      ? {}
      : { NetworkInterfaces: placed ? withoutSubnet(NetworkInterfaces) : NetworkInterfaces }),
    ...fields,
  };
  if (Array.isArray(named['BlockDeviceMappings']) && Array.isArray(fields['BlockDeviceMappings']))
    laid['BlockDeviceMappings'] = mergedVolumes(named['BlockDeviceMappings'], fields['BlockDeviceMappings']);
  // EC2 would add the groups of the fields to those that the launch template names.
  if (fields['SecurityGroupIds'] !== undefined) delete laid['SecurityGroups'];
  for (const native of natives) laid = overlay(laid, native);
  return intoInterface(laid, ownInterfaces ? 'interface' : 'parameters');
}

/**
 * Moves the groups and the subnet into the network interfaces, if there are any: EC2 refuses them beside interfaces.
 * `wins`: which of the two counts where both name groups or a subnet of the first interface. A further interface keeps
 * its own ones.
 */
function intoInterface(params: Tree, wins: 'interface' | 'parameters'): Record<string, unknown> {
  const { SecurityGroupIds, SubnetId, NetworkInterfaces, ...rest } = params;
  if (!Array.isArray(NetworkInterfaces) || NetworkInterfaces.length === 0) return { ...params };
  const beside = {
    ...(SecurityGroupIds ? { Groups: SecurityGroupIds } : {}),
    ...(SubnetId ? { SubnetId } : {}),
  };
  const completed = NetworkInterfaces.map((one, index) => {
    const device = index === 0 ? { DeviceIndex: 0 } : {};
    // An existing interface has its own groups and subnet.
    if (exists(one)) return { ...device, ...one };
    return index === 0 && wins === 'parameters' ? { ...device, ...one, ...beside } : { ...device, ...beside, ...one };
  });
  return { ...rest, NetworkInterfaces: completed };
}

/** Whether a launch with these parameters creates a network interface, which it then may tag. */
export function createsInterface({ NetworkInterfaces }: Tree): boolean {
  return !Array.isArray(NetworkInterfaces) || NetworkInterfaces.length === 0 || !NetworkInterfaces.every(exists);
}

const exists = (one: { readonly NetworkInterfaceId?: unknown }): boolean =>
  one.NetworkInterfaceId !== undefined && one.NetworkInterfaceId !== null;

/** The interfaces without the subnet of the first one. */
function withoutSubnet(interfaces: unknown): unknown {
  if (!Array.isArray(interfaces) || interfaces.length === 0) return interfaces;
  const [{ SubnetId: _, ...first }, ...more] = interfaces;
  return [first, ...more];
}

/** The volumes of both lists. A volume in both has the properties of `base`, overridden by those of `over`. */
function mergedVolumes(
  base: readonly BlockDeviceMapping[],
  over: readonly BlockDeviceMapping[],
): BlockDeviceMapping[] {
  const volumes = new Map(base.map((each) => [each.DeviceName, each]));
  for (const each of over) {
    const known = volumes.get(each.DeviceName);
    volumes.set(each.DeviceName, known?.Ebs && each.Ebs ? { ...each, Ebs: mergedVolume(known.Ebs, each.Ebs) } : each);
  }
  return [...volumes.values()];
}

type Volume = NonNullable<BlockDeviceMapping['Ebs']>;

function mergedVolume(base: Volume, over: Volume): Volume {
  if (over.VolumeType === undefined || over.VolumeType === base.VolumeType) return { ...base, ...over };
  // Another type of volume has other performance settings.
  const { Iops: _iops, Throughput: _throughput, ...rest } = base;
  return { ...rest, ...over };
}
