import type { Shape } from './shape.ts';

/** AWS's bounds of lists. */
const most = { tags: 50, groups: 16, interfaces: 32, volumes: 128, configurations: 50, types: 40 };

const open: Shape = { fields: {} };
const texts = (count?: number): Shape => ({ list: 'text', ...(count === undefined ? {} : { most: count }) });
const tags: Shape = { list: { fields: { Key: 'text', Value: 'text' } }, most: most.tags };
const tagSpecifications: Shape = { list: { fields: { ResourceType: 'text', Tags: tags } }, most: most.tags };
const named: Shape = { fields: { LaunchTemplateId: 'text', LaunchTemplateName: 'text', Version: 'text' } };

/** What launch templates and RunInstances say of machines. */
export const machineShape = {
  fields: {
    BlockDeviceMappings: { list: { fields: { DeviceName: 'text', Ebs: open } }, most: most.volumes },
    DisableApiTermination: 'flag',
    ImageId: 'text',
    InstanceMarketOptions: { fields: { SpotOptions: { fields: { SpotInstanceType: 'text' } } } },
    InstanceRequirements: open,
    InstanceType: 'text',
    LaunchTemplate: named,
    NetworkInterfaces: {
      list: {
        fields: {
          AssociatePublicIpAddress: 'flag',
          DeviceIndex: 'number',
          Groups: texts(most.groups),
          NetworkInterfaceId: 'text',
          SubnetId: 'text',
        },
      },
      most: most.interfaces,
    },
    SecurityGroupIds: texts(most.groups),
    SecurityGroups: texts(most.groups),
    SubnetId: 'text',
    TagSpecifications: tagSpecifications,
    UserData: 'text',
  },
} as const satisfies Shape;

const override: Shape = {
  fields: {
    AvailabilityZone: 'text',
    InstanceRequirements: open,
    InstanceType: 'text',
    MaxPrice: 'text',
    Priority: 'number',
    SpotPrice: 'text',
    SubnetId: 'text',
  },
};

/**
 * What CreateFleet and a SpotFleetRequestConfig say of fleets. How many overrides there may be in all is counted over
 * all configurations.
 */
export const fleetShape = {
  fields: {
    LaunchTemplateConfigs: {
      list: { fields: { LaunchTemplateSpecification: named, Overrides: { list: override } } },
      most: most.configurations,
    },
    OnDemandOptions: open,
    ReplaceUnhealthyInstances: 'flag',
    SpotOptions: open,
    TagSpecifications: tagSpecifications,
    TargetCapacitySpecification: { fields: { TargetCapacityUnitType: 'text' } },
    ValidFrom: 'time',
    ValidUntil: 'time',
  },
} as const satisfies Shape;

/** What CreateAutoScalingGroup says of groups. */
export const groupShape = {
  fields: {
    AvailabilityZones: texts(),
    LaunchTemplate: named,
    MixedInstancesPolicy: {
      fields: {
        InstancesDistribution: open,
        LaunchTemplate: {
          fields: {
            LaunchTemplateSpecification: named,
            Overrides: {
              list: {
                fields: { InstanceRequirements: open, InstanceType: 'text', WeightedCapacity: 'number or text' },
              },
              most: most.types,
            },
          },
        },
      },
    },
    Tags: { list: { fields: { Key: 'text', PropagateAtLaunch: 'flag', Value: 'text' } }, most: most.tags },
    VPCZoneIdentifier: 'text',
  },
} as const satisfies Shape;
