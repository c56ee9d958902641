import type { Instance } from '@aws-sdk/client-ec2';
import { fleetIdTag, ownIdTag, ownTags } from '../../template/tags.ts';

const keptTags: ReadonlySet<string> = new Set([...Object.values(ownTags), ownIdTag, fleetIdTag]);

/**
 * The properties of a machine that are used. EC2 returns some kilobytes for each machine, and ten thousand of them
 * would fill the heap.
 */
export const instanceSummary = (instance: Instance) =>
  ({
    InstanceId: instance.InstanceId,
    State: instance.State,
    StateReason: instance.StateReason,
    StateTransitionReason: instance.StateTransitionReason,
    InstanceLifecycle: instance.InstanceLifecycle,
    InstanceType: instance.InstanceType,
    SubnetId: instance.SubnetId,
    PrivateDnsName: instance.PrivateDnsName,
    PrivateIpAddress: instance.PrivateIpAddress,
    Ipv6Address: instance.Ipv6Address ?? instance.NetworkInterfaces?.[0]?.Ipv6Addresses?.[0]?.Ipv6Address,
    PublicIpAddress: instance.PublicIpAddress,
    LaunchTime: instance.LaunchTime,
    Placement: { AvailabilityZone: instance.Placement?.AvailabilityZone },
    BlockDeviceMappings: instance.BlockDeviceMappings?.map(({ Ebs }) => ({ Ebs: { VolumeId: Ebs?.VolumeId } })),
    Tags: instance.Tags?.filter(({ Key }) => keptTags.has(Key ?? '')),
  }) satisfies Instance;

/** A machine as `DescribeInstances` returns it here: without the other properties, and with the tags that are used. */
export type InstanceSummary = Pick<Instance, keyof ReturnType<typeof instanceSummary>>;
