import type { Shape } from './shape.ts';

/** The longest lists that AWS accepts. */
const max = { tags: 50, groups: 16, interfaces: 32, volumes: 128, configurations: 50, types: 40 };

const anyObject: Shape = { fields: {} };
const textList = (count?: number): Shape => ({ list: 'text', ...(count === undefined ? {} : { max: count }) });
const tags: Shape = { list: { fields: { Key: 'text', Value: 'text' } }, max: max.tags };
const tagSpecifications: Shape = { list: { fields: { ResourceType: 'text', Tags: tags } }, max: max.tags };
const named: Shape = { fields: { LaunchTemplateId: 'text', LaunchTemplateName: 'text', Version: 'text' } };

/** The shape of machines in launch templates and in RunInstances. */
export const machineShape = {
  fields: {
    BlockDeviceMappings: { list: { fields: { DeviceName: 'text', Ebs: anyObject } }, max: max.volumes },
    DisableApiTermination: 'flag',
    ImageId: 'text',
    InstanceMarketOptions: { fields: { SpotOptions: { fields: { SpotInstanceType: 'text' } } } },
    InstanceRequirements: anyObject,
    InstanceType: 'text',
    LaunchTemplate: named,
    NetworkInterfaces: {
      list: {
        fields: {
          AssociatePublicIpAddress: 'flag',
          DeviceIndex: 'number',
          Groups: textList(max.groups),
          NetworkInterfaceId: 'text',
          SubnetId: 'text',
        },
      },
      max: max.interfaces,
    },
    SecurityGroupIds: textList(max.groups),
    SecurityGroups: textList(max.groups),
    SubnetId: 'text',
    TagSpecifications: tagSpecifications,
    UserData: 'text',
  },
} as const satisfies Shape;

const override: Shape = {
  fields: {
    AvailabilityZone: 'text',
    InstanceRequirements: anyObject,
    InstanceType: 'text',
    MaxPrice: 'text',
    Priority: 'number',
    SpotPrice: 'text',
    SubnetId: 'text',
  },
};

/**
 * The shape of CreateFleet and of SpotFleetRequestConfig. The number of overrides is limited over all configurations,
 * and so is reviewed elsewhere.
 */
export const fleetShape = {
  fields: {
    LaunchTemplateConfigs: {
      list: { fields: { LaunchTemplateSpecification: named, Overrides: { list: override } } },
      max: max.configurations,
    },
    OnDemandOptions: anyObject,
    ReplaceUnhealthyInstances: 'flag',
    SpotOptions: anyObject,
    TagSpecifications: tagSpecifications,
    TargetCapacitySpecification: { fields: { TargetCapacityUnitType: 'text' } },
    ValidFrom: 'time',
    ValidUntil: 'time',
  },
} as const satisfies Shape;

/** The shape of CreateAutoScalingGroup. */
export const groupShape = {
  fields: {
    AvailabilityZones: textList(),
    LaunchTemplate: named,
    MixedInstancesPolicy: {
      fields: {
        InstancesDistribution: anyObject,
        LaunchTemplate: {
          fields: {
            LaunchTemplateSpecification: named,
            Overrides: {
              list: {
                fields: { InstanceRequirements: anyObject, InstanceType: 'text', WeightedCapacity: 'number or text' },
              },
              max: max.types,
            },
          },
        },
      },
    },
    Tags: { list: { fields: { Key: 'text', PropagateAtLaunch: 'flag', Value: 'text' } }, max: max.tags },
    VPCZoneIdentifier: 'text',
  },
} as const satisfies Shape;
